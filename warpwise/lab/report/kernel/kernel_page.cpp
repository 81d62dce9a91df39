#include "warpwise/lab/report/kernel/kernel_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "warpwise/lab/plot/figure_kinds.hpp"
#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/kernel/annotation.hpp"
#include "warpwise/lab/report/kernel/program_page.hpp"
#include "warpwise/lab/report/page.hpp"
#include "warpwise/lab/report/words/kernel_words.hpp"
#include "warpwise/lab/report/words/said.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

using Sources = std::map<std::string, std::string>;

Html note(const std::string& text) { return element("p", {{"class", "note"}}, text); }

// Formats the sides of a grid or block without ones at the end: "32×8" for 32×8×1.
std::string shape_of(const RecordField& field) {
  std::vector<std::int64_t> sides;
  for (const RecordField& each : field.list()) sides.push_back(each.whole());
  while (sides.size() > 1 && sides.back() == 1) sides.pop_back();
  return fmt::format("{}", fmt::join(sides, "×"));
}

Html code_of(const char* heading, const std::string& code) {
  return element("p", {{"class", "note"}}, heading) +
         element(
             "pre",
             {{"class", "source"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", heading}},
             element("code", code));
}

Html example_of(const RecordField& example) {
  return code_of(kernel_words.before, example.at("before").text()) +
         code_of(kernel_words.after, example.at("after").text()) +
         note(said(kernel_words.seen_in, example.at("shown_by").text()));
}

Html advice_of(const RecordField& launch) {
  Html cards;
  for (const RecordField& each : launch.at("advice").list()) {
    Html inner;
    if (const auto gain = each.find("gain")) {
      inner += element("p", {{"class", "big"}}, speedup_text(gain->number())) +
               element("p", {{"class", "note"}}, kernel_words.gain_about);
    }
    inner += element("p", each.at("text").text()) +
             note(said(kernel_words.rule, each.at("rule").text()));
    if (const auto example = each.find("example")) inner += example_of(*example);
    cards += element("article", {{"class", "card"}}, inner);
  }
  Html html = element("h3", kernel_words.advice);
  if (const auto placement = launch.find("placement")) {
    html += element("p", {{"class", "wide"}},
                    said(kernel_words.placement, placement->at("text").text()));
  }
  return html + element("div", {{"class", "cards"}}, cards);
}

Html faults_of(const RecordField& launch) {
  Html items;
  for (const RecordField& each : launch.at("faults").list()) {
    items += element("li", said(kernel_words.fault, each.at("kind").text(), each.at("line").whole(),
                                each.at("message").text(), each.at("count").whole()));
  }
  if (items.empty()) return {};
  return element("h3", kernel_words.faults) + element("ul", {{"class", "bad"}}, items);
}

Plot plot_of_bounds(const RecordField& prediction) {
  Plot plot;
  plot.title = said(kernel_words.bounds, prediction.at("gpu").text());
  plot.description = plot.title;
  plot.x.name = "bound";
  plot.value.name = "us";
  plot.value.title = kernel_words.bounds_axis;
  PlotSeries series;
  std::vector<std::pair<double, std::string>> bounds;
  const RecordField all = prediction.at("bounds_us");
  for (const auto& [name, value] : all.object().items()) {
    bounds.emplace_back(all.at(name.c_str()).number(), name);
  }
  std::stable_sort(bounds.begin(), bounds.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  double greatest = 0;
  for (const auto& [us, name] : bounds) {
    if (us <= 0) continue;
    plot.x.texts.push_back(name);
    plot.row_texts.push_back(time_text(us));
    PlotPoint point;
    point.x = static_cast<double>(series.points.size());
    point.value = us;
    series.points.push_back(point);
    greatest = std::max(greatest, us);
  }
  plot.panels.push_back({"", {0, greatest}, {series}});
  return plot;
}

// Writes the measured time and its ratio to the modelled time; nothing if none was measured.
Html measured_beside(const RecordField& launch, const RecordField& prediction) {
  const auto ratio = prediction.find("measured_over_predicted");
  if (!ratio) return {};
  const RecordField gpu = launch.at("gpu");
  return element("p", {{"class", "wide"}},
                 said(kernel_words.measured_beside, gpu.at("device").text(),
                      time_text(gpu.at("cold").at("median_us").number()), ratio->number()));
}

Html bounds_of(const RecordField& launch, const std::string& file) {
  const auto prediction = launch.find("prediction");
  if (!prediction) return {};
  const std::string gpu = prediction->at("gpu").text();
  const Html heading = element("h3", said(kernel_words.bounds, gpu));
  if (const auto why = prediction->find("unavailable")) return heading + note(why->text());
  const Plot plot = plot_of_bounds(*prediction);
  return heading +
         element("p", {{"class", "wide"}},
                 said(kernel_words.bounds_about, time_text(prediction->at("time_us").number()),
                      time_text(prediction->at("least_us").number()),
                      time_text(prediction->at("most_us").number()), prediction->at("rules").text(),
                      time_text(prediction->at("launch_us").number()))) +
         measured_beside(launch, *prediction) + element("figure", pictures_of(plot)) +
         folded(table_of(plot, file + "-bounds.csv"));
}

Cell count_cell(double value) { return {number(value), text(fmt::format("{:.0f}", value))}; }

// Makes a table of the accesses by kind and compute capability.
Table accesses_of(const RecordField& by_cc, const std::string& file) {
  const Words& w = words();
  Table table;
  table.caption = kernel_words.accesses_table;
  table.file = file + "-accesses.csv";
  table.columns = {{"CC"},
                   {w.count},
                   {kernel_words.requests, true},
                   {kernel_words.made, true},
                   {kernel_words.ideal, true}};
  for (const auto& [capability, object] : by_cc.object().items()) {
    const RecordField kinds = by_cc.at(capability.c_str());
    for (const auto& [kind, ignored] : kinds.object().items()) {
      const RecordField field = kinds.at(kind.c_str());
      const bool is_known =
          std::any_of(w.accesses.begin(), w.accesses.end(),
                      [&kind = kind](const AccessWords& each) { return kind == each.key; });
      if (!is_known) continue;
      const AccessCounts counts = read_accesses(field, kind);
      if (counts.requests == 0) continue;
      table.rows.push_back({{capability, {}},
                            {words_of(kind), {}},
                            count_cell(counts.requests),
                            count_cell(counts.made),
                            count_cell(counts.ideal)});
    }
  }
  return table;
}

Html occupancies_of(const RecordField& by_cc) {
  Html items;
  for (const auto& [capability, object] : by_cc.object().items()) {
    const RecordField report = by_cc.at(capability.c_str());
    const RecordField occupancy = report.at("occupancy");
    const RecordField registers = report.at("registers");
    const std::string of_registers =
        registers.is_null()
            ? report.at("registers_from").text()
            : said(kernel_words.registers, registers.whole(), report.at("registers_from").text());
    if (const auto why = occupancy.find("why_not")) {
      items += element("li", said(kernel_words.cannot_run, capability, why->text()));
      continue;
    }
    items += element(
        "li",
        said(kernel_words.occupancy, capability, percent_text(occupancy.at("fraction").number()),
             occupancy.at("blocks_per_sm").whole(), occupancy.at("warps_per_sm").whole(),
             occupancy.at("limiter").text(), of_registers));
  }
  return element("ul", {{"class", "wide"}}, items);
}

Table classes_of(const RecordField& launch, const std::string& file) {
  const Words& w = words();
  Table table;
  table.caption = kernel_words.classes_table;
  table.file = file + "-instructions.csv";
  table.columns = {{w.count}, {kernel_words.warp_instructions, true}, {kernel_words.share, true}};
  const double all = launch.at("warp_instructions").number();
  const auto add = [&](const std::string& name, double value) {
    const double share = all > 0 ? value / all : 0;
    table.rows.push_back(
        {{name, {}}, count_cell(value), {number(share), text(percent_text(share))}});
  };
  const RecordField classes = launch.at("instructions_by_class");
  for (const auto& [name, value] : classes.object().items()) {
    add(name, classes.at(name.c_str()).number());
  }
  add(kernel_words.all_instructions, all);
  return table;
}

Table gpu_of(const RecordField& compared, const std::string& file) {
  const Words& w = words();
  Table table;
  table.caption = w.counters;
  table.file = file + "-counters.csv";
  table.columns = {{w.count}, {kernel_words.emulator, true}, {"GPU", true}};
  for (const RecordField& each : compared.list()) {
    table.rows.push_back({{each.at("count").text(), {}},
                          count_cell(each.at("emulator").number()),
                          count_cell(each.at("gpu").number())});
  }
  return table;
}

Html counts_of(const RecordField& launch, const std::string& file) {
  const RecordField by_cc = launch.at("by_cc");
  const std::string counted = launch.at("counted").text();
  Html html =
      element("h3", kernel_words.counts) +
      note(counted.empty() ? kernel_words.counts_exact : said(kernel_words.counts_of, counted)) +
      occupancies_of(by_cc);
  html += element("p", {{"class", "wide"}},
                  said(kernel_words.execution, launch.at("warp_instructions").whole(),
                       launch.at("branches").whole(), launch.at("divergent_branches").whole(),
                       launch.at("barriers").whole()));
  const Table accesses = accesses_of(by_cc, file);
  if (!accesses.rows.empty()) html += html_of(accesses);
  html += element("details", element("summary", kernel_words.classes_table) +
                                 html_of(classes_of(launch, file)));
  const auto gpu = launch.find("gpu");
  if (!gpu) return html;
  if (const auto why = gpu->find("unavailable")) return html + note(why->text());
  if (const auto cold = gpu->find("cold")) {
    html += element("p", said(kernel_words.measured_on, gpu->at("device").text(),
                              time_text(cold->at("median_us").number())));
  }
  if (const auto compared = gpu->find("compared")) html += html_of(gpu_of(*compared, file));
  return html;
}

// Returns true if a launch has a race, that is a fault of a kind that race_kinds.hpp lists.
bool has_races(const RecordField& launch) {
  return std::ranges::any_of(launch.at("faults").list(), [](const RecordField& fault) {
    const std::string kind = fault.at("kind").text();
    return kind == "race" || kind == "narrow_scope" || kind == "lockstep";
  });
}

Html fidelity_of(const RecordField& launch) {
  const Html heading = element("h3", kernel_words.fidelity);
  Html items;
  for (const RecordField& use : launch.at("fidelity").list()) {
    std::vector<std::string> places;
    for (const RecordField& line : use.at("lines").list())
      places.push_back(fmt::format("{}:{}", line.at("file").text(), line.at("line").whole()));
    items += element("li", said(kernel_words.fidelity_use, use.at("meaning").text(),
                                use.at("reach").text(), fmt::join(places, ", ")));
  }
  if (items.empty())
    return heading +
           note(has_races(launch) ? kernel_words.fidelity_races : kernel_words.fidelity_exact);
  return heading + element("ul", {{"class", "wide"}}, items);
}

Html source_of(const RecordField& launch, const Sources& sources) {
  Annotation annotation;
  add_launch(launch, annotation);
  Html html = element("h3", kernel_words.source) + note(kernel_words.source_about);
  for (const auto& [file, lines] : annotation.files) {
    const auto whole = sources.find(file);
    html += element("p", {{"class", "panel"}}, file);
    html += whole == sources.end()
                ? excerpt(file, lines, annotation.warp_instructions)
                : listing(file, whole->second, lines, annotation.warp_instructions);
  }
  return html;
}

Html html_of(const RecordField& launch, std::size_t number, const Sources& sources) {
  const std::string kernel = launch.at("kernel").text();
  const std::string file = section_id(launch, number);
  Html html = element("h2", said(kernel_words.kernel_heading, kernel));
  html += element("p", {{"class", "wide"}},
                  said(kernel_words.kernel_about, shape_of(launch.at("grid")),
                       shape_of(launch.at("block")), launch.at("compiler").text()));
  html += faults_of(launch) + advice_of(launch) + bounds_of(launch, file) +
          counts_of(launch, file) + fidelity_of(launch) + source_of(launch, sources);
  if (const std::string printed = launch.at("printed").text(); !printed.empty()) {
    html += element("h3", kernel_words.printed) + element("pre", {{"class", "source"}}, printed);
  }
  return element("section", {{"id", file}}, html);
}

}  // namespace

std::string kernel_page(const nlohmann::ordered_json& explained, const Sources& sources) {
  const RecordField root(explained, "explain");
  std::string name;
  Html body;
  Html launches;
  const auto add_each = [&](const RecordField& list) {
    std::size_t number = 0;
    for (const RecordField& each : list.list()) launches += html_of(each, ++number, sources);
  };
  if (const auto program = root.find("program")) {
    name = program->text();
    body += program_overview(root);
    add_each(root.at("kernels"));
    if (launches.empty()) body += note(kernel_words.no_kernels);
  } else if (const auto list = root.find("launches")) {
    name = root.at("primitive").text();
    const std::string operands = root.at("operands").text();
    body += element("p", {{"class", "wide"}},
                    said(kernel_words.call_about, size_text(root.at("size").sides<2>()), operands));
    add_each(*list);
  } else {
    name = root.at("kernel").text();
    launches = html_of(root, 1, sources);
  }
  const std::string title = said(kernel_words.kernel_title, name);
  return whole_page(title,
                    element("h1", title) + body + launches + note(kernel_words.kernel_page_about));
}

}  // namespace warpwise::lab::report
