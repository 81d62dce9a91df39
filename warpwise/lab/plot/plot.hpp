#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/plot/record.hpp"

// What a plot of a run shows, before anything is drawn.
namespace warpwise::lab {

struct PlotPoint {
  double x = 0;  ///< of dots: the row's place, from 0 at the top
  double y = 0;  ///< of maps only
  double value = 0;
  std::optional<double> low;  ///< 5th and 95th percentile, where it is of times
  std::optional<double> high;
  std::optional<double> document;  ///< where the document's speed-up would put it; dots only
};

struct PlotSeries {
  std::string name;
  bool is_level = false;  ///< of lines: a kernel that does not have the axis, a point for all of it
  std::vector<PlotPoint> points;
};

/// One pair of axes with what is drawn between them. A map's has one series.
struct PlotPanel {
  std::string title;
  std::array<double, 2> values{};  ///< least and greatest that are to be shown on its value axis
  std::vector<PlotSeries> series;
};

struct PlotAxis {
  std::string name;   ///< in CSV
  std::string title;  ///< with its unit
  bool logarithmic = false;
  std::vector<double> values;  ///< that points have, ascending; of maps each is a column or a row
  std::vector<std::string> texts;  ///< how they are written
};

/// dots: a row for each kernel. lines: over one axis. maps: a cell for each point of two axes.
enum class PlotKind : std::uint8_t { dots, lines, maps };

struct Plot {
  PlotKind kind = PlotKind::dots;
  std::string title;
  std::vector<std::string> notes;  ///< lines below the title
  std::string description;         ///< for those who do not see it
  PlotAxis x;                      ///< of dots: the names of the rows
  PlotAxis y;                      ///< of maps only
  PlotAxis value;
  bool higher_is_better = false;
  std::vector<std::string> row_texts;  ///< of dots: at the right of each row
  std::optional<double> first;         ///< of dots: where a speed-up of 1 lies, if all rows agree
  bool has_document = false;
  std::vector<PlotPanel> panels;
};

/// Decides what to show of a run: no axis, dots; one numeric axis, or a second one of at most four
/// values, lines; two, or blocks of two sides, maps. The figure is the first of the run's `report`
/// that it has; of a ladder the share of the roof, or, without times, warp instructions.
/// \throws InvalidArgument  nothing was measured
Plot plot_of(const Record& record);

/// The points of a plot: a line of names, then one for each.
std::vector<std::vector<std::string>> cells_of(const Plot& plot);
/// The same as CSV, and any other lines of cells.
std::string csv_of(const Plot& plot);
std::string csv_of(const std::vector<std::vector<std::string>>& cells);

/// Three digits that count, thousands and millions as k, M, G.
std::string figure_text(double value);

}  // namespace warpwise::lab
