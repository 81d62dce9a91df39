#include "warpwise/lab/study/counters/counters_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace warpwise::lab {
namespace {

std::string csv_number(const std::optional<double>& value) {
  return value && !std::isnan(*value) ? fmt::format("{}", *value) : "";
}

// Compares a row's counts with its counters. Returns nothing if the counters were not read.
std::vector<ComparedCount> compared_of(const RungRow& row, const RungCounts& counts) {
  if (!row.compared_counters) return {};
  return compared_counts(counts, *row.compared_counters);
}

}  // namespace

CounterColumns::CounterColumns(const StudyRun& run) {
  std::set<std::string> metrics;
  for (const RungRow& row : run.rows) {
    if (row.counters) {
      for (const LaunchCounters& launch : row.counters->launches) {
        for (const auto& each : launch.values) metrics.insert(each.first);
      }
    }
    for (const RungCounts& counts : row.counts) {
      for (const ComparedCount& each : compared_of(row, counts)) {
        const std::string name(each.name);
        if (std::find(compared_.begin(), compared_.end(), name) == compared_.end()) {
          compared_.push_back(name);
        }
      }
    }
  }
  metrics_.assign(metrics.begin(), metrics.end());
}

std::vector<std::string> CounterColumns::names() const {
  std::vector<std::string> names;
  for (const std::string& each : compared_) {
    names.push_back("gpu_" + each);
    std::replace(names.back().begin(), names.back().end(), ' ', '_');
  }
  if (!empty()) names.emplace_back("not_comparable");
  names.insert(names.end(), metrics_.begin(), metrics_.end());
  return names;
}

std::vector<std::string> CounterColumns::fields_of(const RungRow& row,
                                                   const RungCounts* counts) const {
  std::map<std::string, double, std::less<>> compared;
  if (counts != nullptr) {
    for (const ComparedCount& each : compared_of(row, *counts)) {
      compared.emplace(each.name, each.measured);
    }
  }
  std::vector<std::string> fields;
  for (const std::string& each : compared_) {
    const auto found = compared.find(each);
    fields.push_back(found == compared.end() ? "" : csv_number(found->second));
  }
  // The text not_comparable may contain commas, but no quotation marks.
  if (!empty()) fields.push_back(fmt::format("\"{}\"", row.not_comparable));
  for (const std::string& each : metrics_) {
    fields.push_back(row.counters ? csv_number(value_of(*row.counters, each)) : "");
  }
  return fields;
}

}  // namespace warpwise::lab
