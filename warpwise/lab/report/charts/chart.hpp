#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/report/html/html.hpp"

// Draws pictures as SVG inside the page. Horizontal positions are shares of the width, so that
// letters keep their size on narrow and wide screens. Numbers and names stand outside the axes, in
// margins that the style sheet leaves free.
namespace warpwise::lab::report {

/// An axis, on which each value has a position from 0 to 1.
struct Scale {
  double least = 0;
  double greatest = 1;
  bool logarithmic = false;

  double fraction(double value) const;
  std::vector<double> ticks(std::size_t most) const;
};

/// Returns a scale for values from `least` to `greatest`, with some room beyond both. A linear
/// scale starts at 0 if no value is negative.
Scale scale_for(double least, double greatest, bool logarithmic);

/// Format an attribute of SVG: across() formats a share of the width, pixels() a length.
std::string across(double fraction);
std::string pixels(double length);

/// Draws the mark of a point. Each series has its own form and colour of mark. A ring marks a
/// figure from the source document.
Html mark(double fraction, double y, std::size_t series, const std::string& title);
Html ring(double fraction, double y, const std::string& title);
/// Draws vertical grid lines, and their numbers below them, for a picture of this height in pixels.
Html vertical_grid_lines(const Scale& scale, double height, const std::string& unit);
/// Draws horizontal grid lines, and their numbers to the left of them.
Html horizontal_grid_lines(const Scale& scale, double height);
/// Draws a picture. \param room  CSS class of the element around the picture, which sets the
/// margins for numbers
Html picture(const char* room, double height, const std::string& description, const Html& inner);
/// Draws the series' marks and names. If `has_document`, adds the ring of the document's figures.
Html legend(const std::vector<std::string>& names, bool has_document);

Html pictures_of(const Plot& plot);
Html dots_of(const Plot& plot, const PlotPanel& panel);
Html lines_of(const Plot& plot, const PlotPanel& panel);
Html map_of(const Plot& plot, const PlotPanel& panel);

}  // namespace warpwise::lab::report
