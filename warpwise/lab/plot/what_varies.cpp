#include "warpwise/lab/plot/what_varies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

namespace warpwise::lab {
namespace {

// If the second axis has at most this many values, the plot has lines instead of a map.
constexpr std::size_t few_values = 5;
// At least this many sizes make an axis. Fewer sizes make series or panels.
constexpr std::size_t many_sizes = 4;
// At least this many block shapes of a kernel make a map. The share of empty cells in the map may
// be at most most_empty.
constexpr std::size_t many_shapes = 6;
constexpr double most_empty = 0.6;

std::map<std::string, Coordinate> coordinates_of(const RecordedRow& row, std::ptrdiff_t rung) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  std::map<std::string, Coordinate> at = {
      {"@rung", {number(rung), row.rung}},
      {"@size",
       {number(row.size[0]) * number(row.size[1]), fmt::format("{}×{}", row.size[0], row.size[1])}},
      {"@block",
       {number(row.block[0]) * number(row.block[1]) * number(row.block[2]), shape_text(row.block)}},
      {"@block_x", {number(row.block[0]), std::to_string(row.block[0])}},
      {"@block_y", {number(row.block[1]), std::to_string(row.block[1])}}};
  for (const auto& [name, value] : row.values) {
    at.insert_or_assign(name, Coordinate{number(value), std::to_string(value)});
  }
  if (!row.transfer.empty()) at["@transfer"] = {0, row.transfer};
  return at;
}

// Returns the largest number of different values of `name` in any group of rows. Rows are in the
// same group if `same` returns the same text.
std::size_t values_of(const std::vector<RunRow>& rows, const std::string& name,
                      const std::function<std::string(const RunRow&)>& same) {
  std::map<std::string, std::set<Coordinate>> found;
  std::size_t most = 0;
  for (const RunRow& each : rows) {
    const auto at = each.at.find(name);
    if (at == each.at.end()) continue;
    auto& values = found[same(each)];
    values.insert(at->second);
    most = std::max(most, values.size());
  }
  return most;
}

std::string rung_of(const RunRow& sample) { return sample.row->rung; }
std::string work_of(const RunRow& sample) {
  return fmt::format("{} {} {}", sample.row->rung, sample.row->size, sample.row->values);
}

// Returns true if the block shapes of some kernel fill enough cells of that kernel's map.
bool fill_a_map(const std::vector<RunRow>& rows) {
  std::map<std::string, std::set<std::pair<std::int64_t, std::int64_t>>> shapes;
  for (const RunRow& each : rows) {
    shapes[each.row->rung].insert({each.row->block[0], each.row->block[1]});
  }
  return std::any_of(shapes.begin(), shapes.end(), [](const auto& kernel) {
    std::set<std::int64_t> widths;
    std::set<std::int64_t> heights;
    for (const auto& [width, height] : kernel.second) {
      widths.insert(width);
      heights.insert(height);
    }
    const auto cells = static_cast<double>(widths.size() * heights.size());
    return static_cast<double>(kernel.second.size()) >= (1 - most_empty) * cells;
  });
}

}  // namespace

std::string shape_text(const std::array<std::int64_t, 3>& block) {
  if (block[2] > 1) return fmt::format("{}×{}×{}", block[0], block[1], block[2]);
  return block[1] > 1 ? fmt::format("{}×{}", block[0], block[1]) : fmt::format("{}", block[0]);
}

std::vector<RunRow> samples_of(const Record& record) {
  std::vector<std::string> rungs;
  std::vector<RunRow> samples;
  for (const RecordedRow& row : record.rows) {
    const auto known = std::find(rungs.begin(), rungs.end(), row.rung);
    const std::ptrdiff_t rung = known - rungs.begin();
    if (known == rungs.end()) rungs.push_back(row.rung);
    if (row.not_run.empty()) samples.push_back({coordinates_of(row, rung), {}, &row});
  }
  return samples;
}

Variation what_varies(const std::vector<RunRow>& rows) {
  Variation result;
  auto& [kind, drawn_axes, undrawn_axes] = result;
  std::map<std::string, std::size_t> counts;
  for (const RunRow& row : rows) {
    for (const auto& [name, value] : row.row->values) counts[name] = 0;
  }
  for (auto& [name, count] : counts) count = values_of(rows, name, rung_of);
  for (const auto& [name, count] : counts) {
    if (count > 1) drawn_axes.push_back(name);
  }
  const std::size_t sizes = values_of(rows, "@size", rung_of);
  if (sizes >= many_sizes) {
    drawn_axes.push_back("@size");
    counts["@size"] = sizes;
  } else if (sizes > 1) {
    undrawn_axes.push_back("@size");
  }
  if (values_of(rows, "@transfer", rung_of) > 1) undrawn_axes.emplace_back("@transfer");
  const std::size_t shapes = values_of(rows, "@block", work_of);
  const bool one_sided = std::all_of(rows.begin(), rows.end(), [](const RunRow& each) {
    return each.row->block[1] == 1 && each.row->block[2] == 1;
  });
  const bool has_depth = std::any_of(rows.begin(), rows.end(),
                                     [](const RunRow& each) { return each.row->block[2] > 1; });
  if (shapes > 2 && one_sided) {
    drawn_axes.push_back("@block");
    counts["@block"] = shapes;
  } else if (shapes >= many_shapes && !has_depth && fill_a_map(rows)) {
    undrawn_axes.insert(undrawn_axes.begin(), drawn_axes.begin(), drawn_axes.end());
    drawn_axes = {"@block_x", "@block_y"};
    kind = PlotKind::maps;
    return result;
  } else if (shapes > 1) {
    undrawn_axes.push_back("@block");
  }
  std::sort(drawn_axes.begin(), drawn_axes.end(), [&](const std::string& a, const std::string& b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  if (drawn_axes.empty()) return result;
  const bool is_map = drawn_axes.size() > 1 && counts[drawn_axes[1]] > few_values;
  kind = is_map ? PlotKind::maps : PlotKind::lines;
  const std::ptrdiff_t drawn = is_map ? 2 : 1;
  undrawn_axes.insert(undrawn_axes.begin(), drawn_axes.begin() + drawn, drawn_axes.end());
  drawn_axes.resize(static_cast<std::size_t>(drawn));
  return result;
}

}  // namespace warpwise::lab
