#include "warpwise/lab/report/sections/closing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "warpwise/lab/plot/figure_kinds.hpp"
#include "warpwise/lab/report/charts/roofline.hpp"
#include "warpwise/lab/report/charts/scatter.hpp"
#include "warpwise/lab/report/records/findings.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

Html section(const char* id, const char* heading, const Html& inner) {
  return element("section", {{"id", id}}, element("h2", heading) + inner);
}

Html about(const std::string& text) { return element("p", {{"class", "wide"}}, text); }

// Compares the emulator's and the GPU's counts of one kind, over all kernels of a run.
struct CountSummary {
  std::string count;
  std::size_t kernels = 0;
  std::size_t equal = 0;
  double least = std::numeric_limits<double>::max();
  double greatest = 0;
};

std::vector<CountSummary> summaries_of(const Record& record) {
  std::vector<CountSummary> all;
  for (const RecordedRow& row : record.rows) {
    for (const RecordedCount& each : row.compared) {
      if (each.emulator == 0) continue;
      auto found = std::find_if(all.begin(), all.end(), [&](const CountSummary& other) {
        return other.count == each.count;
      });
      if (found == all.end()) found = all.insert(found, CountSummary{.count = each.count});
      const double ratio = each.gpu / each.emulator;
      ++found->kernels;
      if (each.gpu == each.emulator) ++found->equal;
      found->least = std::min(found->least, ratio);
      found->greatest = std::max(found->greatest, ratio);
    }
  }
  return all;
}

using Machine = std::vector<std::pair<std::string, std::string>>;

std::string value_of(const Machine& machine, const std::string& key) {
  for (const auto& [name, value] : machine) {
    if (name == key) return value;
  }
  return {};
}

// A file of the report, and the machine on which it was recorded.
struct Origin {
  std::string file;
  const Machine* machine;
  std::string method;
};

std::vector<Origin> origins_of(const Collection& collection) {
  std::vector<Origin> origins;
  const auto add = [&](const std::string& path, const Machine& machine, const std::string& method) {
    origins.push_back({std::filesystem::path(path).filename().string(), &machine, method});
  };
  for (const Recorded& each : collection.runs) {
    add(each.file, each.record.machine, each.record.method);
  }
  for (const RecordedBench& each : collection.benches) {
    add(each.file, each.bench.machine, each.bench.method);
  }
  return origins;
}

Table records_table(const std::vector<Origin>& origins) {
  const Words& w = words();
  Table table;
  table.caption = w.records;
  table.file = "records.csv";
  table.columns = {{w.file}};
  // Machines may have different keys, so the table has a column for each key of any machine.
  std::vector<std::string> keys;
  for (const Origin& each : origins) {
    for (const auto& [key, value] : *each.machine) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  for (const std::string& key : keys) table.columns.push_back({told(words_of(key))});
  for (const Origin& each : origins) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back({each.file, {}});
    for (const std::string& key : keys) row.push_back({value_of(*each.machine, key), {}});
  }
  return table;
}

}  // namespace

Html rooflines(const Collection& collection) {
  const Words& w = words();
  Html html;
  for (const Roofline& each : rooflines_of(collection.runs)) {
    html += about(fmt::format(fmt::runtime(w.roofline_about), each.device)) +
            element("figure", picture_of(each)) + folded(table_of(each));
  }
  return section("roofline", w.roofline, html.empty() ? about(w.roofline_none) : html);
}

Html predicted_times(const Collection& collection) {
  Html html;
  for (const Predictions& each : collection.predictions) html += scatters_of(each);
  if (html.empty()) return {};
  return section("predictions", words().predictions, about(words().predictions_about) + html);
}

Html other_libraries(const Collection& collection) {
  const Words& w = words();
  Table table;
  table.caption = w.peers;
  table.file = "libraries.csv";
  table.columns = {{w.primitive},          {w.variant},        {w.size},
                   {"warpwise, µs", true}, {w.implementation}, {w.time, true},
                   {w.times_as_fast, true}};
  for (const RecordedBench& each : collection.benches) {
    for (const BenchRow& peer : each.bench.rows) {
      const BenchRow* const ours = ours_beside(each.bench, peer);
      if (ours == nullptr) continue;
      const double ratio = peer.time_us.value / ours->time_us.value;
      table.rows.push_back({{peer.primitive, {}},
                            {told(peer.variant), {}},
                            {size_text(peer.size), {}},
                            {number(ours->time_us.value), text(time_text(ours->time_us.value))},
                            {peer.implementation, {}},
                            {number(peer.time_us.value), text(time_text(peer.time_us.value))},
                            {number(ratio), text(speedup_text(ratio))}});
    }
  }
  if (table.rows.empty()) return {};
  return section("libraries", w.peers, about(w.peers_about) + folded(table));
}

Html hardware_counters(const Collection& collection) {
  const Words& w = words();
  Table table;
  table.caption = w.counters;
  table.file = "counters.csv";
  table.columns = {{w.ladder_or_study},   {w.count},
                   {w.comparisons, true}, {w.equal, true},
                   {w.least_ratio, true}, {w.greatest_ratio, true}};
  for (const Recorded& each : collection.counted) {
    const Record& record = each.record;
    const std::string name =
        record.study + (record.experiment.empty() ? "" : "/" + record.experiment);
    for (const CountSummary& sum : summaries_of(record)) {
      table.rows.push_back({{name, {}},
                            {told(sum.count), {}},
                            {number(static_cast<double>(sum.kernels)), {}},
                            {number(static_cast<double>(sum.equal)), {}},
                            {number(sum.least), text(fmt::format("{:.3f}", sum.least))},
                            {number(sum.greatest), text(fmt::format("{:.3f}", sum.greatest))}});
    }
  }
  if (table.rows.empty()) return {};
  return section("counters", w.counters, about(w.counters_about) + folded(table));
}

Html kernel_sources(const Collection& collection,
                    const std::map<std::string, StudySource>& sources) {
  Html files;
  for (const auto& of_study : sources) {
    const auto& study = of_study.first;
    const auto& source = of_study.second;
    if (source.rungs.empty()) continue;
    files += element("h3", study);
    for (const RungSource& rung : source.rungs) {
      const auto counted = std::find_if(
          collection.lines.begin(), collection.lines.end(),
          [&](const RecordedLines& each) { return each.study == study && each.rung == rung.name; });
      files += html_of(study, rung, counted == collection.lines.end() ? nullptr : &*counted);
    }
  }
  if (files.empty()) return {};
  return section("sources", words().sources, about(words().sources_about) + files);
}

Html machine_and_method(const Collection& collection) {
  const Words& w = words();
  const std::vector<Origin> origins = origins_of(collection);
  Html html;
  // Files with the same method are listed together.
  std::vector<std::pair<std::string, std::vector<std::string>>> methods;
  for (const Origin& each : origins) {
    if (each.method.empty()) continue;
    auto found = std::find_if(methods.begin(), methods.end(),
                              [&](const auto& other) { return other.first == each.method; });
    if (found == methods.end()) found = methods.insert(found, {each.method, {}});
    found->second.push_back(each.file);
  }
  for (const auto& [method, files] : methods) {
    html +=
        element("h3", fmt::format(fmt::runtime(w.method_of),
                                  files.size() == 1 ? files[0]
                                                    : fmt::format(fmt::runtime(w.files), files[0],
                                                                  files.size() - 1))) +
        about(told(method));
  }
  html += element("h3", w.records) + html_of(records_table(origins));
  return section("method", w.method, html + about(w.page_about));
}

}  // namespace warpwise::lab::report
