#include "warpwise/lab/report/sections/chapter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/plot/figure_kinds.hpp"
#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/plot/what_varies.hpp"
#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/charts/staircase.hpp"
#include "warpwise/lab/report/records/findings.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

bool is_whole(const Record& record) {
  return record.experiment.empty() || (record.is_ladder && record.experiment == "ladder");
}

std::string name_of(const Record& record) {
  return record.experiment.empty() ? record.study : record.study + "-" + record.experiment;
}

// Lists the rows of docs/sources.md, such as A8, that a run reproduces. If the run names no row,
// lists the rows that its kernels name.
Html document_rows(const Record& record) {
  std::vector<std::string> rows = record.document_rows;
  if (rows.empty()) {
    for (const RecordedRow& row : record.rows) {
      for (const std::string& each : row.document_rows) {
        if (std::find(rows.begin(), rows.end(), each) == rows.end()) rows.push_back(each);
      }
    }
  }
  Html items;
  for (const std::string& each : rows) {
    const std::string about = told(std::string(about_row(each)));
    items += element("li", element("b", each) + text(about.empty() ? "" : ": " + about));
  }
  if (items.empty()) return {};
  return element("div", {{"class", "rows"}},
                 element("p", words().rows_shown) + element("ul", items));
}

std::string place_of(const RecordedRow& row) {
  const std::string text = place_text(row.size, row.block, row.values);
  return row.transfer.empty() ? text : text + ", " + row.transfer;
}

Cell figure_cell(const std::optional<double>& value, std::string (*show)(double)) {
  return value ? Cell{number(*value), text(show(*value))} : Cell{};
}

std::string number_text(double value) { return figure_text(value); }

// Lists every row with a figure from the source document.
Html beside_document(const Record& record) {
  const Words& w = words();
  Table table;
  table.caption = fmt::format(fmt::runtime(w.beside_document), record.document_device);
  table.file = name_of(record) + "-document.csv";
  table.columns = {{w.kernel},
                   {w.at},
                   {w.document_time, true},
                   {w.time, true},
                   {w.document_over_first, true},
                   {w.over_first, true}};
  for (const RecordedRow& row : record.rows) {
    const auto time = figure_of(row, "document_time_us");
    const auto speedup = figure_of(row, "document_speedup_over_first");
    if (!time && !speedup) continue;
    table.rows.push_back({{row.rung, {}},
                          {place_of(row), {}},
                          figure_cell(time, time_text),
                          figure_cell(figure_of(row, "cold_us"), time_text),
                          figure_cell(speedup, speedup_text),
                          figure_cell(figure_of(row, "speedup_over_first"), speedup_text)});
  }
  if (table.rows.empty()) return {};
  drop_empty_columns(table);
  return html_of(table);
}

Html knees_of(const Record& record) {
  if (record.knees.empty()) return {};
  const Words& w = words();
  Table table;
  table.caption = fmt::format(fmt::runtime(w.knees), told(record.knee_axis));
  table.file = name_of(record) + "-knees.csv";
  table.columns = {{w.kernel}, {w.at}, {w.knee_at, true}, {w.level, true}, {w.slope, true}};
  for (const RecordedKnee& each : record.knees) {
    std::vector<Cell> row = {{each.rung, {}}, {place_text(each.size, each.block, each.values), {}}};
    if (each.none.empty()) {
      for (const double value : {each.at, each.level_us, each.slope_us}) {
        row.push_back(figure_cell(value, number_text));
      }
    } else {
      row.push_back({fmt::format(fmt::runtime(w.no_knee), told(each.none)), {}});
      row.resize(table.columns.size());
    }
    table.rows.push_back(std::move(row));
  }
  return html_of(table);
}

Html halvings_of(const Record& record) {
  if (record.halved.empty()) return {};
  const Words& w = words();
  Table table;
  table.caption = w.halved;
  table.file = name_of(record) + "-halved.csv";
  std::set<std::string> names;
  for (const RecordedHalving& each : record.halved) {
    for (const auto& [name, loss] : each.losses) names.insert(name);
  }
  table.columns = {{w.kernel}, {w.bound_by}};
  for (const std::string& each : names) table.columns.push_back({told(words_of(each)), true});
  for (const RecordedHalving& each : record.halved) {
    std::vector<Cell> row = {{each.rung + " " + shape_text(each.block), {}},
                             {told(each.bound_by), {}}};
    for (const std::string& name : names) {
      const auto found = each.losses.find(name);
      row.push_back(found == each.losses.end() ? Cell{} : figure_cell(found->second, percent_text));
    }
    table.rows.push_back(std::move(row));
  }
  return html_of(table);
}

Html cpu_rows(const Record& record) {
  if (record.cpu_rows.empty()) return {};
  const Words& w = words();
  Table table;
  table.caption = w.cpu_rows;
  table.file = name_of(record) + "-cpu.csv";
  table.columns = {{w.implementation}, {w.size}, {w.time, true}, {w.document_time, true}};
  for (const RecordedCpuRow& each : record.cpu_rows) {
    std::optional<double> time;
    if (each.time_us) time = each.time_us->value;
    table.rows.push_back({{told(each.name), {}},
                          {size_text(each.size), {}},
                          figure_cell(time, time_text),
                          figure_cell(each.document_time_us, time_text)});
  }
  drop_empty_columns(table);
  return html_of(table);
}

// Returns the least and the greatest value of all points of a plot.
std::pair<double, double> extremes_of(const Plot& plot) {
  std::pair<double, double> extremes{std::numeric_limits<double>::max(),
                                     std::numeric_limits<double>::lowest()};
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      for (const PlotPoint& point : series.points) {
        extremes.first = std::min(extremes.first, point.value);
        extremes.second = std::max(extremes.second, point.value);
      }
    }
  }
  return extremes;
}

// Makes the plot of a record, with its texts in the page's language.
Plot told_plot(const Record& record) {
  const Words& w = words();
  Plot plot = plot_of(record);
  plot.title = name_of(record);
  if (!record.title.empty()) plot.title += ": " + told(record.title);
  for (PlotAxis* axis : {&plot.x, &plot.y, &plot.value}) axis->title = told(axis->title);
  for (std::string& note : plot.notes) note = told(note);
  for (std::string& each : plot.row_texts) each = told(each);
  for (PlotPanel& panel : plot.panels) panel.title = told(panel.title);
  const char* const said = plot.kind == PlotKind::dots    ? w.plot_dots
                           : plot.kind == PlotKind::lines ? w.plot_lines
                                                          : w.plot_maps;
  const auto [least, greatest] = extremes_of(plot);
  plot.description = fmt::format(fmt::runtime(said), plot.x.title, plot.y.title, plot.value.title,
                                 figure_text(least), figure_text(greatest));
  return plot;
}

Html figure_of_plot(const Record& record) {
  try {
    const Plot plot = told_plot(record);
    Html notes;
    for (const std::string& each : plot.notes) {
      if (each != record.origin) notes += element("p", {{"class", "note"}}, each);
    }
    return element("figure", notes + pictures_of(plot)) +
           folded(table_of(plot, name_of(record) + ".csv"));
  } catch (const InvalidArgument& error) {
    return element("p", fmt::format(fmt::runtime(words().nothing_drawn), error.what()));
  }
}

Html body_of(const Recorded& run, const std::map<std::string, StudySource>& sources) {
  const Record& record = run.record;
  const Words& w = words();
  const LinkOf link = [&](const std::string& rung) { return link_to(sources, record.study, rung); };
  Html html = document_rows(record);
  if (record.interrupted) html += element("p", w.interrupted);
  const Html staircase = finding_of(record) ? staircase_of(record, link) : Html();
  if (staircase.empty()) {
    html +=
        figure_of_plot(record) + beside_document(record) + knees_of(record) + halvings_of(record);
  } else {
    html +=
        element("figure", staircase) + folded(steps_table(record, name_of(record) + ".csv", link));
  }
  html += cpu_rows(record);
  return html + element("p", {{"class", "from"}},
                        fmt::format(fmt::runtime(w.from_file),
                                    std::filesystem::path(run.file).filename().string(),
                                    record.device, record.origin));
}

}  // namespace

std::vector<Chapter> chapters_of(const Collection& collection) {
  std::vector<Chapter> chapters;
  std::map<std::string, int> ids;
  for (const bool is_ladder : {true, false}) {
    for (const Recorded& run : collection.runs) {
      const Record& record = run.record;
      if (record.is_ladder != is_ladder) continue;
      auto found = std::find_if(chapters.begin(), chapters.end(), [&](const Chapter& each) {
        return each.is_ladder == is_ladder && each.study == record.study &&
               each.runs.front()->record.device == record.device;
      });
      if (found == chapters.end()) {
        std::string id = id_of((is_ladder ? "ladder " : "study ") + record.study);
        if (const int number = ++ids[id]; number > 1) id += fmt::format("-{}", number);
        found = chapters.insert(found, {id, is_ladder, record.study, {}});
      }
      found->runs.push_back(&run);
    }
  }
  for (Chapter& each : chapters) {
    std::stable_partition(each.runs.begin(), each.runs.end(),
                          [](const Recorded* run) { return is_whole(run->record); });
  }
  return chapters;
}

Html html_of(const Chapter& chapter, const std::map<std::string, StudySource>& sources) {
  const Words& w = words();
  const char* const heading = chapter.is_ladder ? w.ladder_heading : w.study_heading;
  Html html = element("h2", fmt::format(fmt::runtime(heading), chapter.study));
  const auto source = sources.find(chapter.study);
  if (source != sources.end())
    html += element("p", {{"class", "wide"}}, told(source->second.about));
  for (const Recorded* run : chapter.runs) {
    const Record& record = run->record;
    // A run without a title and an experiment stands directly below the chapter's heading.
    std::string title = told(record.title);
    if (title.empty()) title = record.experiment;
    if (!title.empty()) html += element("h3", title);
    html += body_of(*run, sources);
  }
  return element("section", {{"id", chapter.id}}, html);
}

}  // namespace warpwise::lab::report
