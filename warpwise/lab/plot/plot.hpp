#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/plot/record.hpp"

// Chooses the contents of a run's plot: axes, panels, series and points.
namespace warpwise::lab {

struct PlotPoint {
  double x = 0;  ///< dots: index of the row, from 0 at the top
  double y = 0;  ///< maps only
  double value = 0;
  std::optional<double> low;  ///< `low` and `high`: 5th and 95th percentile; times only
  std::optional<double> high;
  std::optional<double> document;  ///< value at the document's speed-up (docs/sources.md); dots
};

struct PlotSeries {
  std::string name;
  bool is_level = false;  ///< lines: the kernel lacks the x axis's parameter, and has one value
  std::vector<PlotPoint> points;
};

/// One pair of axes and the series drawn on them. A panel of a map has one series.
struct PlotPanel {
  std::string title;
  std::array<double, 2> values{};  ///< least and greatest value on the panel's value axis
  std::vector<PlotSeries> series;
};

struct PlotAxis {
  std::string name;   ///< in CSV
  std::string title;  ///< with its unit
  bool logarithmic = false;
  std::vector<double> values;      ///< values of the points, ascending; a map has a column or a row
                                   ///< for each value
  std::vector<std::string> texts;  ///< the values as texts
};

/// Dots have a row for each kernel. Lines show values over one axis. Maps have a cell for each
/// point of two axes.
enum class PlotKind : std::uint8_t { dots, lines, maps };

struct Plot {
  PlotKind kind = PlotKind::dots;
  std::string title;
  std::vector<std::string> notes;  ///< lines below the title
  std::string description;         ///< for readers who cannot see the plot
  PlotAxis x;                      ///< dots: the names of the rows
  PlotAxis y;                      ///< maps only
  PlotAxis value;
  bool higher_is_better = false;
  std::vector<std::string> row_texts;        ///< dots: text at the right of each row
  std::optional<double> value_at_speedup_1;  ///< dots, if all rows give the same value
  bool has_document = false;
  std::vector<PlotPanel> panels;
};

/// Decides how to show a run:
/// - no axis: dots
/// - one numeric axis, or two of which the second has at most five values: lines
/// - two numeric axes, or the width and height of at least six block shapes of a kernel: maps
///
/// Draws the first of these figures that the record has and that changes along the axes: the time
/// end to end, the figures in the run's `report`, the share of the roof or GB/s of a ladder, the
/// time, warp instructions.
/// \throws InvalidArgument  nothing was measured
Plot plot_of(const Record& record);

/// Returns the points of a plot as a table: a line of column names, then one line for each point.
std::vector<std::vector<std::string>> cells_of(const Plot& plot);
/// Return the points of a plot, or the lines of a table, as CSV.
std::string csv_of(const Plot& plot);
std::string csv_of(const std::vector<std::vector<std::string>>& cells);

/// Formats a value with three significant digits, but keeps all digits before the point. Values of
/// 10,000 and more get k, M or G.
std::string figure_text(double value);

}  // namespace warpwise::lab
