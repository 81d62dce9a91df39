#include "warpwise/lab/report/charts/scatter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/words/said.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

constexpr double scatter_height = 240;
// A prediction that is off by more than this factor counts as a miss.
constexpr double miss = 2;

// Contents of one picture: the experiments of one study, or all tables of the source documents.
struct Panel {
  std::string title;
  std::string file;
  std::vector<const PredictedExperiment*> experiments;
  bool of_documents = false;

  std::string name_of(const PredictedExperiment& each) const {
    const std::string name = each.experiment.empty() ? words().whole_study : each.experiment;
    return of_documents ? fmt::format("{} {}, {}", each.study, name, each.device) : name;
  }
};

std::vector<Panel> panels_of(const Predictions& predictions) {
  std::vector<Panel> panels;
  for (const PredictedExperiment& each : predictions.experiments) {
    auto found = std::find_if(panels.begin(), panels.end(),
                              [&](const Panel& other) { return other.title == each.study; });
    if (found == panels.end()) {
      found =
          panels.insert(found, {each.study, "predicted-" + id_of(each.study) + ".csv", {}, false});
    }
    found->experiments.push_back(&each);
  }
  if (predictions.documents.empty()) return panels;
  Panel& own = panels.emplace_back(
      Panel{words().predictions_documents, "predicted-documents.csv", {}, true});
  for (const PredictedExperiment& each : predictions.documents) own.experiments.push_back(&each);
  return panels;
}

// Returns one scale for both axes, so that a right prediction lies on the diagonal.
Scale scale_of(const Panel& panel) {
  double least = panel.experiments.front()->rows.front().measured_us;
  double greatest = least;
  for (const PredictedExperiment* experiment : panel.experiments) {
    for (const PredictedRow& row : experiment->rows) {
      least = std::min({least, row.measured_us, row.predicted_us});
      greatest = std::max({greatest, row.measured_us, row.predicted_us});
    }
  }
  return scale_for(least, greatest, true);
}

// Draws a line through the points whose predicted time is `ratio` times the measured time. Clips
// the line to the picture.
Html line_of_ratio(const Scale& scale, double ratio, const char* kind) {
  const double left = std::max(scale.least, scale.least / ratio);
  const double right = std::min(scale.greatest, scale.greatest / ratio);
  if (left >= right) return {};
  const auto up = [&](double measured) {
    return scatter_height * (1 - scale.fraction(measured * ratio));
  };
  return lone("line", {{"class", kind},
                       {"x1", across(scale.fraction(left))},
                       {"x2", across(scale.fraction(right))},
                       {"y1", pixels(up(left))},
                       {"y2", pixels(up(right))}});
}

Html picture_of(const Panel& panel) {
  const Words& w = words();
  const Scale scale = scale_of(panel);
  Html inner = vertical_grid_lines(scale, scatter_height, "") +
               horizontal_grid_lines(scale, scatter_height) + line_of_ratio(scale, 1, "roof") +
               line_of_ratio(scale, miss, "roof dash") +
               line_of_ratio(scale, 1 / miss, "roof dash");
  std::vector<std::string> names;
  std::size_t points = 0;
  for (const PredictedExperiment* each : panel.experiments) {
    for (const PredictedRow& row : each->rows) {
      inner += mark(scale.fraction(row.measured_us),
                    scatter_height * (1 - scale.fraction(row.predicted_us)), names.size(),
                    said(w.predictions_point, row.rung, place_text(row.size, row.block, row.values),
                         time_text(row.predicted_us), time_text(row.measured_us), row.ratio()));
    }
    points += each->rows.size();
    const std::string name = panel.name_of(*each);
    const std::string error = percent_text(each->fit.median_error);
    names.push_back(
        each->fit.rank_correlation
            ? said(w.predictions_series, name, each->fit.points, *each->fit.rank_correlation, error)
            : said(w.predictions_series_short, name, each->fit.points, error));
  }
  return element("p", {{"class", "axis up"}}, w.predictions_y) +
         picture("room-lines", scatter_height, said(w.predictions_picture, panel.title, points),
                 inner) +
         element("p", {{"class", "axis"}}, w.predictions_x) + legend(names, false);
}

// Lists the rungs whose prediction is off by more than the factor `miss`. Each rung has its worst
// row, and the worst rung comes first.
std::string misses_of(const Panel& panel) {
  std::vector<const PredictedRow*> worst;
  for (const PredictedExperiment* experiment : panel.experiments) {
    for (const PredictedRow& row : experiment->rows) {
      if (row.off() <= miss) continue;
      const auto found = std::find_if(worst.begin(), worst.end(), [&](const PredictedRow* each) {
        return each->rung == row.rung;
      });
      if (found == worst.end()) {
        worst.push_back(&row);
      } else if ((*found)->off() < row.off()) {
        *found = &row;
      }
    }
  }
  if (worst.empty()) return words().predictions_near;
  std::stable_sort(worst.begin(), worst.end(),
                   [](const auto* a, const auto* b) { return a->off() > b->off(); });
  std::vector<std::string> texts;
  texts.reserve(worst.size());
  for (const PredictedRow* each : worst) {
    texts.push_back(
        said(words().predictions_miss, each->rung, each->ratio(), told(each->bottleneck)));
  }
  return said(words().predictions_far, fmt::format("{}", fmt::join(texts, ", ")));
}

Cell ratio_cell(double ratio) { return {number(ratio), text(fmt::format("{:.2f}", ratio))}; }
Cell time_cell(double us) { return {number(us), text(time_text(us))}; }

Table table_of(const Panel& panel) {
  const Words& w = words();
  Table table;
  table.caption = panel.title;
  table.file = panel.file;
  table.columns = {{w.kernel},
                   {w.experiment},
                   {w.at},
                   {w.predicted_time, true},
                   {w.measured_time, true},
                   {w.ratio_of_time, true},
                   {w.bottleneck}};
  for (const PredictedExperiment* each : panel.experiments) {
    for (const PredictedRow& row : each->rows) {
      table.rows.push_back({{row.rung, {}},
                            {panel.name_of(*each), {}},
                            {place_text(row.size, row.block, row.values), {}},
                            time_cell(row.predicted_us),
                            time_cell(row.measured_us),
                            ratio_cell(row.ratio()),
                            {told(row.bottleneck), {}}});
    }
  }
  return table;
}

Table fits_of(const Predictions& predictions) {
  const Words& w = words();
  Table table;
  table.caption = w.predictions_experiments;
  table.file = "predictions.csv";
  table.columns = {{w.ladder_or_study},
                   {w.experiment},
                   {w.profile},
                   {w.points, true},
                   {w.rank_correlation, true},
                   {w.median_error, true},
                   {w.least_ratio_of_time, true},
                   {w.median_ratio_of_time, true},
                   {w.greatest_ratio_of_time, true}};
  for (const auto* list : {&predictions.experiments, &predictions.documents}) {
    for (const PredictedExperiment& each : *list) {
      const PredictionFit& fit = each.fit;
      table.rows.push_back({{each.study, {}},
                            {each.experiment.empty() ? w.whole_study : each.experiment, {}},
                            {each.device, {}},
                            {fmt::format("{}", fit.points), {}},
                            fit.rank_correlation ? ratio_cell(*fit.rank_correlation) : Cell{},
                            {number(fit.median_error), text(percent_text(fit.median_error))},
                            ratio_cell(fit.least_ratio),
                            ratio_cell(fit.median_ratio),
                            ratio_cell(fit.greatest_ratio)});
    }
  }
  return table;
}

Html html_of(const Panel& panel) {
  return element("h3", panel.title) +
         element("figure",
                 picture_of(panel) + element("p", {{"class", "note"}}, misses_of(panel))) +
         folded(table_of(panel));
}

}  // namespace

Html scatters_of(const Predictions& predictions) {
  Html panels;
  for (const Panel& each : panels_of(predictions)) panels += element("div", html_of(each));
  const std::string file = std::filesystem::path(predictions.file).filename().string();
  return element("div", {{"class", "panels"}}, panels) + folded(fits_of(predictions)) +
         element("p", {{"class", "from"}},
                 said(words().predictions_from, file, predictions.commit));
}

Html front_of(const Predictions& predictions) {
  const PredictionFit& all = predictions.all;
  if (!all.rank_correlation) return {};
  const Words& w = words();
  return element("p", {{"class", "wide"}},
                 text(said(w.predictions_front, all.points, *all.rank_correlation,
                           percent_text(all.median_error)) +
                      " ") +
                     element("a", {{"href", "#predictions"}}, w.predictions));
}

}  // namespace warpwise::lab::report
