#include "warpwise/lab/report/records/findings.hpp"

#include <algorithm>
#include <map>

namespace warpwise::lab::report {
namespace {

constexpr const char* speedup = "speedup_over_first";
constexpr const char* document_speedup = "document_speedup_over_first";

std::int64_t pixels_of(const RecordedRow& row) { return row.size[0] * row.size[1]; }

// Ratios of times below this value lie within the spread of the measurement.
constexpr double clearly = 1.01;

}  // namespace

std::optional<double> figure_of(const RecordedRow& row, const std::string& name) {
  const auto found = row.figures.find(name);
  if (found == row.figures.end()) return std::nullopt;
  return found->second.value;
}

std::vector<const RecordedRow*> rows_of_first_size(const Record& record) {
  std::vector<const RecordedRow*> rows;
  for (const RecordedRow& each : record.rows) {
    if (each.size == record.rows.front().size) rows.push_back(&each);
  }
  return rows;
}

std::vector<Branch> branches_of(const std::vector<const RecordedRow*>& rows) {
  std::map<std::string, std::string> begins;  // maps a rung to the first rung of its branch
  std::vector<Branch> branches;
  for (const RecordedRow* each : rows) {
    const auto before = begins.find(each->step_before);
    const std::string& first = before == begins.end() ? each->rung : before->second;
    const std::string& own = begins.try_emplace(each->rung, first).first->second;
    auto branch = std::ranges::find(branches, own, &Branch::first);
    if (branch == branches.end()) branch = branches.insert(branch, {own, own, {}});
    branch->last = each->rung;
    branch->rows.push_back(each);
  }
  return branches;
}

std::string roof_of(const Record& record) {
  for (const RecordedRow& each : record.rows) {
    if (!each.roof.empty()) return each.roof;
  }
  if (record.roofs.contains("absolute_differences_roof_per_s")) return "vsadu4";
  return record.roofs.contains("read_roof_gb_per_s") ? "read" : "copy";
}

std::vector<const RecordedRow*> steps_of(const Record& record) {
  std::vector<const RecordedRow*> steps;
  for (const RecordedRow* each : rows_of_first_size(record)) {
    if (!figure_of(*each, "cold_us") || !figure_of(*each, speedup)) continue;
    if (steps.empty() || each->values == steps.front()->values) steps.push_back(each);
  }
  return steps;
}

std::optional<DocumentsBest> documents_best(const std::vector<const RecordedRow*>& rows) {
  std::vector<const RecordedRow*> both;
  for (const RecordedRow* each : rows) {
    if (figure_of(*each, document_speedup) && figure_of(*each, speedup)) both.push_back(each);
  }
  if (both.size() < 2) return std::nullopt;
  const auto best = [&](const char* name) {
    return *std::max_element(both.begin(), both.end(), [&](const auto* a, const auto* b) {
      return figure_of(*a, name) < figure_of(*b, name);
    });
  };
  return DocumentsBest{best(document_speedup), best(speedup), both.size() == 2};
}

std::optional<LadderFinding> finding_of(const Record& record) {
  const bool is_whole = record.experiment.empty() || record.experiment == "ladder";
  if (!record.is_ladder || !is_whole) return std::nullopt;
  const std::vector<const RecordedRow*> steps = steps_of(record);
  if (steps.empty()) return std::nullopt;
  LadderFinding finding;
  finding.first = steps.front();
  finding.last = steps.back();
  finding.speedup = *figure_of(*finding.first, "cold_us") / *figure_of(*finding.last, "cold_us");
  for (const RecordedRow* each : steps) {
    const auto step = figure_of(*each, "speedup_over_step_before");
    if (!step || *step <= 1) continue;
    const RecordedRow* const before = finding.largest_step;
    if (before == nullptr || step > figure_of(*before, "speedup_over_step_before")) {
      finding.largest_step = each;
    }
  }
  for (const RecordedRow& each : record.rows) {
    const bool same = each.rung == finding.last->rung && each.values == finding.last->values;
    if (!same || !figure_of(each, "share_of_roof")) continue;
    const RecordedRow* const before = finding.last_at_largest_size;
    if (pixels_of(each) > pixels_of(before == nullptr ? *finding.last : *before)) {
      finding.last_at_largest_size = &each;
    }
  }
  finding.document = documents_best(steps);
  return finding;
}

bool is_of_whole_ladder(const Record& record) {
  return finding_of(record) && record.named_rungs.empty() && !record.interrupted &&
         steps_of(record).size() > 1;
}

std::vector<BlockFinding> other_best_blocks(const std::vector<Recorded>& runs) {
  std::vector<BlockFinding> findings;
  for (const Recorded& run : runs) {
    for (const RecordedRow& document_row : run.record.rows) {
      const auto time = figure_of(document_row, "cold_us");
      if (!time || !figure_of(document_row, "document_time_us")) continue;
      const RecordedRow* fastest_row = &document_row;
      for (const RecordedRow& each : run.record.rows) {
        const auto other = figure_of(each, "cold_us");
        if (each.rung == document_row.rung && each.size == document_row.size &&
            each.values == document_row.values && other &&
            *other < *figure_of(*fastest_row, "cold_us")) {
          fastest_row = &each;
        }
      }
      const bool is_known =
          std::any_of(findings.begin(), findings.end(), [&](const BlockFinding& each) {
            return each.document_row->rung == document_row.rung &&
                   each.document_row->block == document_row.block &&
                   each.from->record.device == run.record.device;
          });
      if (is_known || *time < clearly * *figure_of(*fastest_row, "cold_us")) continue;
      findings.push_back({&run, &document_row, fastest_row});
    }
  }
  return findings;
}

const BenchRow* ours_beside(const Bench& bench, const BenchRow& peer) {
  if (peer.implementation == "warpwise") return nullptr;
  const auto found = std::find_if(bench.rows.begin(), bench.rows.end(), [&](const BenchRow& each) {
    return each.implementation == "warpwise" && each.primitive == peer.primitive &&
           each.variant == peer.variant && each.size == peer.size;
  });
  const bool has_times =
      found != bench.rows.end() && found->time_us.value > 0 && peer.time_us.value > 0;
  return has_times ? &*found : nullptr;
}

std::vector<PeerFinding> peer_findings(const std::vector<RecordedBench>& benches) {
  std::vector<PeerFinding> findings;
  for (const RecordedBench& each : benches) {
    for (const BenchRow& peer : each.bench.rows) {
      const BenchRow* const ours = ours_beside(each.bench, peer);
      if (ours == nullptr) continue;
      const double ratio = peer.time_us.value / ours->time_us.value;
      auto found = std::find_if(findings.begin(), findings.end(), [&](const PeerFinding& other) {
        return other.primitive == peer.primitive;
      });
      if (found == findings.end()) {
        found = findings.insert(found, {peer.primitive, 0, 0, ratio, ratio});
      }
      ++found->comparisons;
      if (ratio > 1) ++found->faster;
      found->least = std::min(found->least, ratio);
      found->greatest = std::max(found->greatest, ratio);
    }
  }
  return findings;
}

}  // namespace warpwise::lab::report
