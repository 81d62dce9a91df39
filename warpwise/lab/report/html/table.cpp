#include "warpwise/lab/report/html/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/plot/what_varies.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {

Table table_of(const Plot& plot, const std::string& file) {
  Table table;
  table.file = file;
  table.caption = plot.title;
  std::vector<std::vector<std::string>> cells = cells_of(plot);
  for (const std::string& name : cells.front()) {
    const bool is_row = plot.kind == PlotKind::dots && name == plot.x.name;
    table.columns.push_back({name, name != "panel" && name != "series" && !is_row});
  }
  for (std::size_t i = 1; i < cells.size(); ++i) {
    std::vector<Cell>& row = table.rows.emplace_back();
    for (std::size_t k = 0; k < cells[i].size(); ++k) {
      Cell cell{cells[i][k], {}};
      // The page shows three digits of a number; the CSV file has all of them.
      if (table.columns[k].is_number && !cell.plain.empty()) {
        cell.shown = text(figure_text(std::strtod(cell.plain.c_str(), nullptr)));
      }
      row.push_back(std::move(cell));
    }
  }
  drop_empty_columns(table);
  return table;
}

void drop_empty_columns(Table& table) {
  for (std::size_t k = table.columns.size(); k-- > 0;) {
    const bool used = std::any_of(table.rows.begin(), table.rows.end(),
                                  [&](const auto& row) { return !row[k].plain.empty(); });
    if (used) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(k));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

std::string csv_of(const Table& table) {
  std::vector<std::vector<std::string>> cells(1);
  for (const Column& each : table.columns) cells[0].push_back(each.name);
  for (const auto& row : table.rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const Cell& each : row) line.push_back(each.plain);
  }
  return lab::csv_of(cells);
}

namespace {

Html row_of(const std::vector<Cell>& cells, const std::vector<Column>& columns) {
  Html inner;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const Html shown = cells[k].shown.empty() ? text(cells[k].plain) : cells[k].shown;
    if (k == 0) {
      inner += element("th", {{"scope", "row"}}, shown);
    } else {
      // A cell with a long text gets a wider class. The table scrolls if it gets too wide.
      constexpr std::size_t is_long = 32;
      const bool is_text = cells[k].plain.size() >= is_long;
      const char* const kind = columns[k].is_number ? "n" : is_text ? "long" : "";
      inner += element("td", {{"class", kind}}, shown);
    }
  }
  return element("tr", inner);
}

Html save_link(const Table& table) {
  const Words& w = words();
  return element(
      "p", {{"class", "save"}},
      element("a", {{"download", table.file}, {"href", data_address("text/csv", csv_of(table))}},
              fmt::format(fmt::runtime(w.save), table.file)));
}

}  // namespace

Html html_of(const Table& table) {
  Html head;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    head += element("th", {{"scope", "col"}, {"class", table.columns[k].is_number ? "n" : ""}},
                    table.columns[k].name);
  }
  Html body;
  for (const auto& row : table.rows) body += row_of(row, table.columns);
  const Html whole =
      element("table", element("caption", table.caption) + element("thead", element("tr", head)) +
                           element("tbody", body));
  // tabindex lets the element get the focus, and the arrow keys then scroll it.
  return element("div",
                 {{"class", "scroll"},
                  {"tabindex", "0"},
                  {"role", "region"},
                  {"aria-label", table.caption}},
                 whole) +
         save_link(table);
}

Html folded(const Table& table) {
  const std::string title = fmt::format(fmt::runtime(words().as_table), table.rows.size());
  return element("details", element("summary", title) + html_of(table));
}

std::string time_text(double microseconds) {
  const auto three = [](double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
  };
  if (microseconds >= 999.5) return three(microseconds / 1000) + " ms";
  return three(microseconds) + " µs";
}

std::string speedup_text(double speedup) {
  return speedup >= 100  ? fmt::format("×{:.0f}", speedup)
         : speedup >= 10 ? fmt::format("×{:.1f}", speedup)
                         : fmt::format("×{:.2f}", speedup);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  return percent < 1 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string size_text(const std::array<std::int64_t, 2>& size) {
  return size[1] == 1 ? fmt::format("{}", size[0]) : fmt::format("{}×{}", size[0], size[1]);
}

std::string place_text(const std::array<std::int64_t, 2>& size,
                       const std::array<std::int64_t, 3>& block,
                       const std::map<std::string, std::int64_t>& values) {
  std::string text = size_text(size) + ", " + shape_text(block);
  for (const auto& [name, value] : values) text += fmt::format(", {} {}", name, value);
  return text;
}

std::string number(double value) { return fmt::format("{}", value); }

}  // namespace warpwise::lab::report
