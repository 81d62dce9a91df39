#include "warpwise/lab/study/show/row_comparison.hpp"

#include <algorithm>

#include "warpwise/lab/study/table/points.hpp"

namespace warpwise::lab {
namespace {

// Returns true if the source document's figures may be shown in this row. The row must have the
// table's size, the rung's first block shape, and default parameters, constants and setting. In the
// emulator, emulator_size is allowed too. No times are measured there, so a reader cannot compare
// times of two sizes by mistake.
bool is_documented(const StudyTable& table, const StudyRun& run, const Rung& rung,
                   const RungRow& row) {
  if (row.setting != Setting{}) return false;
  const bool same_size = row.size == table.size || (!run.on_gpu && row.size == table.emulator_size);
  const bool own_constants =
      std::all_of(row.axis_constants.begin(), row.axis_constants.end(), [&](const auto& axis) {
        return rung.constants.at(axis.first) == std::to_string(axis.second);
      });
  return same_size && own_constants && is_default(table, rung, row.parameters) &&
         (rung.shipped || row.block == rung.blocks.front());
}

// Returns the document's speed-up from the first rung to this one. It is computed from the
// document's times or, without times, from its speed-ups.
std::optional<double> document_speedup(const DocumentFigure& first, const DocumentFigure& here) {
  if (first.time_us && here.time_us) return *first.time_us / *here.time_us;
  if (first.speedup && here.speedup) return *here.speedup / *first.speedup;
  return std::nullopt;
}

}  // namespace

bool is_default(const StudyTable& table, const Rung& rung, const ladders::Variables& parameters) {
  return parameters == merged(table.parameters(), rung.parameters);
}

void set_comparison_figures(const StudyTable& table, const StudyRun& before, RungRow& row) {
  if (!row.skipped.empty() || !row.wrong.empty()) return;
  const Rung& rung = table.rung(row.rung);
  // Only rows with the same size, parameters and setting have the same problem. A rung that fixes a
  // parameter has another one.
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
  // The step before may have several rows, one for each block shape. Finds the first of them.
  const auto step = std::find_if(before.rows.begin(), before.rows.end(), [&](const RungRow& other) {
    return is_comparable(other) && other.axis_constants == row.axis_constants &&
           other.rung == rung.after;
  });
  if (step == before.rows.end() || !step->cold) return;
  row.step_before = rung.after;
  row.speedup_over_step_before = step->cold->median_us / row.cold->median_us;
}

}  // namespace warpwise::lab
