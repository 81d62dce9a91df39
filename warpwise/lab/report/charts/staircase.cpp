#include "warpwise/lab/report/charts/staircase.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/records/findings.hpp"
#include "warpwise/lab/report/words/said.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

constexpr double row_height = 36;
constexpr double heading_height = 30;
constexpr double bar_top = 19;
constexpr double bar_height = 6;

// The rows of a picture, from top to bottom. Each branch has a heading if there are several.
class Rows {
 public:
  explicit Rows(const std::vector<const RecordedRow*>& rows) {
    const std::vector<Branch> branches = branches_of(rows);
    for (const Branch& each : branches) {
      if (branches.size() > 1) {
        headings_ += element(
            "text", {{"class", "t"}, {"x", "0"}, {"y", pixels(height_ + heading_height - 9)}},
            each.rows.size() > 1 ? said(words().branch, each.first, each.last) : each.first);
        height_ += heading_height;
      }
      for (const RecordedRow* row : each.rows) {
        placed_.emplace_back(row, height_);
        height_ += row_height;
      }
    }
  }

  const std::vector<std::pair<const RecordedRow*, double>>& placed() const { return placed_; }
  double height() const { return height_; }
  const Html& headings() const { return headings_; }

 private:
  std::vector<std::pair<const RecordedRow*, double>> placed_;  // each row, and the pixels above it
  double height_ = 0;
  Html headings_;
};

Html bar(const char* kind, double from, double to, double y, const std::string& title) {
  const double left = std::min(from, to);
  return element("rect",
                 {{"class", kind},
                  {"x", across(left)},
                  {"y", pixels(y)},
                  {"width", across(std::max(std::max(from, to) - left, 0.004))},
                  {"height", pixels(bar_height)}},
                 element("title", title));
}

Html name_of(const RecordedRow& row, double y, const LinkOf& link) {
  const Html name = element("text", {{"class", "name"}, {"x", "0"}, {"y", pixels(y)}}, row.rung);
  const std::string to = link(row.rung);
  return to.empty() ? name : element("a", {{"href", to}}, name);
}

Html speedups_of(const Record& record, const std::vector<const RecordedRow*>& rows,
                 const LinkOf& link) {
  double least = 1;
  double most = 1;
  bool has_document = false;
  for (const RecordedRow* each : rows) {
    for (const char* name : {"speedup_over_first", "document_speedup_over_first"}) {
      const auto value = figure_of(*each, name);
      if (!value || *value <= 0) continue;
      least = std::min(least, *value);
      most = std::max(most, *value);
      if (name[0] == 'd') has_document = true;
    }
  }
  const Scale scale = scale_for(least, std::max(most, 1.2 * least), true);
  const Rows placed(rows);
  Html inner = vertical_grid_lines(scale, placed.height(), "×") + placed.headings();
  const double one = scale.fraction(1);
  for (const auto& [each, y] : placed.placed()) {
    const RecordedRow& row = *each;
    const auto now = figure_of(row, "speedup_over_first");
    const auto then = figure_of(row, "document_speedup_over_first");
    inner += name_of(row, y + 13, link);
    std::string said = now ? speedup_text(*now) : std::string();
    if (then) said = fmt::format(fmt::runtime(words().then_and_now), speedup_text(*then), said);
    inner += element("text", {{"class", "t end"}, {"x", "100%"}, {"y", pixels(y + 13)}}, said);
    if (now && *now > 0) {
      inner += bar("now", one, scale.fraction(*now), y + bar_top,
                   fmt::format("{}: {}", row.rung, speedup_text(*now)));
    }
    if (then && *then > 0) {
      inner += bar("then", one, scale.fraction(*then), y + bar_top + bar_height + 1,
                   fmt::format("{}: {}", row.rung, speedup_text(*then)));
    }
  }
  Html html = element("p", {{"class", "panel"}}, words().staircase) +
              picture("room-dots", placed.height(), words().staircase, inner);
  Html keys = element("li", element("span", {{"class", "key now"}}, "") +
                                text(fmt::format(fmt::runtime(words().now_bar), record.device)));
  if (has_document) {
    keys += element("li",
                    element("span", {{"class", "key then"}}, "") +
                        text(fmt::format(fmt::runtime(words().then_bar), record.document_device)));
  }
  return html + element("ul", {{"class", "legend"}}, keys);
}

Html shares_of(const Record& record, const std::vector<const RecordedRow*>& rows,
               const LinkOf& link) {
  std::vector<std::array<std::int64_t, 2>> sizes;
  for (const RecordedRow& each : record.rows) {
    const bool is_known = std::find(sizes.begin(), sizes.end(), each.size) != sizes.end();
    if (!is_known && figure_of(each, "share_of_roof")) sizes.push_back(each.size);
  }
  if (sizes.empty()) return {};
  double most = 1;
  for (const RecordedRow& each : record.rows) {
    most = std::max(most, figure_of(each, "share_of_roof").value_or(0));
  }
  const Scale scale{0, 100 * most, false};
  const Rows placed(rows);
  Html inner = vertical_grid_lines(scale, placed.height(), " %") + placed.headings();
  for (const auto& [row, y] : placed.placed()) {
    inner += name_of(*row, y + 13, link);
    std::string said;
    for (std::size_t series = 0; series < sizes.size(); ++series) {
      for (const RecordedRow& each : record.rows) {
        const auto share = figure_of(each, "share_of_roof");
        if (!share || each.rung != row->rung || each.size != sizes[series] ||
            each.values != row->values) {
          continue;
        }
        said += (said.empty() ? "" : " · ") + percent_text(*share);
        inner +=
            mark(scale.fraction(100 * *share), y + bar_top + bar_height, series,
                 fmt::format("{}, {}: {}", each.rung, size_text(each.size), percent_text(*share)));
        break;
      }
    }
    inner += element("text", {{"class", "t end"}, {"x", "100%"}, {"y", pixels(y + 13)}}, said);
  }
  std::vector<std::string> names;
  names.reserve(sizes.size());
  for (const auto& each : sizes) names.push_back(size_text(each));
  const std::string roof = roof_sentence(record);
  return element("p", {{"class", "panel"}}, words().share_chart) +
         picture("room-dots", placed.height(), words().share_chart, inner) + legend(names, false) +
         (roof.empty() ? Html() : element("p", {{"class", "note"}}, roof));
}

Cell time_cell(const RecordedRow& row, const std::string& name) {
  const auto value = figure_of(row, name);
  return value ? Cell{number(*value), text(time_text(*value))} : Cell{};
}

Cell speedup_cell(const RecordedRow& row, const std::string& name) {
  const auto value = figure_of(row, name);
  return value ? Cell{number(*value), text(speedup_text(*value))} : Cell{};
}

}  // namespace

Html staircase_of(const Record& record, const LinkOf& link) {
  if (steps_of(record).empty()) return {};
  std::vector<const RecordedRow*> rows = rows_of_first_size(record);
  std::erase_if(rows, [](const auto* each) { return !figure_of(*each, "speedup_over_first"); });
  return element("div", {{"class", "panels pair"}},
                 element("div", speedups_of(record, rows, link)) +
                     element("div", shares_of(record, rows, link)));
}

Table steps_table(const Record& record, const std::string& file, const LinkOf& link) {
  const Words& w = words();
  Table table;
  table.caption = fmt::format(fmt::runtime(w.rungs_table), record.study);
  table.file = file;
  table.columns = {{w.rung},
                   {w.size},
                   {w.step_from},
                   {w.document_time, true},
                   {w.document_over_first, true},
                   {w.time, true},
                   {w.fifth, true},
                   {w.ninety_fifth, true},
                   {w.over_first, true},
                   {w.over_before, true},
                   {w.of_roof, true},
                   {w.what_is_new}};
  for (const RecordedRow& row : record.rows) {
    const auto cold = row.figures.find("cold_us");
    const auto spread = [&](std::optional<double> RecordedFigure::* part) {
      if (cold == row.figures.end() || !(cold->second.*part)) return Cell{};
      return Cell{number(*(cold->second.*part)), text(time_text(*(cold->second.*part)))};
    };
    const auto share = figure_of(row, "share_of_roof");
    const std::string to = link(row.rung);
    const std::string idea = row.not_run.empty()
                                 ? told(row.idea)
                                 : fmt::format(fmt::runtime(w.not_run), told(row.not_run));
    table.rows.push_back({{row.rung, to.empty() ? Html() : element("a", {{"href", to}}, row.rung)},
                          {size_text(row.size), {}},
                          {row.step_before, {}},
                          time_cell(row, "document_time_us"),
                          speedup_cell(row, "document_speedup_over_first"),
                          time_cell(row, "cold_us"),
                          spread(&RecordedFigure::low),
                          spread(&RecordedFigure::high),
                          speedup_cell(row, "speedup_over_first"),
                          speedup_cell(row, "speedup_over_step_before"),
                          share ? Cell{number(*share), text(percent_text(*share))} : Cell{},
                          {idea, {}}});
  }
  drop_empty_columns(table);
  return table;
}

std::string roof_sentence(const Record& record) {
  const std::string roof = roof_of(record);
  if (roof == "read") return words().roof_of_reads;
  return roof == "vsadu4" ? words().roof_of_differences : "";
}

}  // namespace warpwise::lab::report
