#include "warpwise/lab/study/row_comparison.hpp"

#include <algorithm>

#include "warpwise/lab/study/points.hpp"

namespace warpwise::lab {
namespace {

// The document's figures are of one size and one shape of block, which the table has first. The
// emulator's size stands for it: there are no times for them to be mistaken for.
bool is_documented(const StudyTable& table, const StudyRun& run, const Rung& rung,
                   const RungRow& row) {
  if (row.setting != Setting{}) return false;
  const bool same_size = row.size == table.size || (!run.on_gpu && row.size == table.emulator_size);
  const bool own_constants = std::all_of(row.axes.begin(), row.axes.end(), [&](const auto& axis) {
    return rung.constants.at(axis.first) == std::to_string(axis.second);
  });
  return same_size && own_constants && is_default(table, rung, row.parameters) &&
         (rung.shipped || row.block == rung.blocks.front());
}

// By its times, or as it says itself of both.
std::optional<double> document_speedup(const DocumentFigure& first, const DocumentFigure& here) {
  if (first.time_us && here.time_us) return *first.time_us / *here.time_us;
  if (first.speedup && here.speedup) return *here.speedup / *first.speedup;
  return std::nullopt;
}

}  // namespace

bool is_default(const StudyTable& table, const Rung& rung, const ladders::Variables& parameters) {
  return parameters == merged(table.parameters(), rung.parameters);
}

void compare(const StudyTable& table, const StudyRun& before, RungRow& row) {
  if (!row.skipped.empty() || !row.wrong.empty()) return;
  const Rung& rung = table.rung(row.rung);
  // A parameter that a rung fixes makes it another computation: neither a step nor a first.
  const auto is_comparable = [&](const RungRow& other) {
    return !other.on_cpu && other.size == row.size && other.parameters == row.parameters &&
           other.setting == row.setting;
  };
  const auto first =
      std::find_if(before.rows.begin(), before.rows.end(), [&](const RungRow& other) {
        return is_comparable(other) && other.skipped.empty() && other.wrong.empty();
      });
  const RungRow& baseline = first == before.rows.end() ? row : *first;
  if (is_documented(table, before, rung, row)) {
    row.document = rung.document;
    row.document_speedup_over_first =
        document_speedup(table.rung(baseline.rung).document, rung.document);
  }
  if (!row.cold) return;
  row.speedup_over_first = baseline.cold->median_us / row.cold->median_us;
  // Its first row: of the block shape that it has by default.
  const auto step = std::find_if(before.rows.begin(), before.rows.end(), [&](const RungRow& other) {
    return is_comparable(other) && other.axes == row.axes && other.rung == rung.after;
  });
  if (step == before.rows.end() || !step->cold) return;
  row.step_before = rung.after;
  row.speedup_over_step_before = step->cold->median_us / row.cold->median_us;
}

}  // namespace warpwise::lab
