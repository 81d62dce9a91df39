#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/report/html/html.hpp"

// Draws pictures as SVG inside of the page. Horizontal positions are shares of the width, so that
// letters keep their size on a telephone and on a large screen. Numbers and names stand outside of
// the axes, where the style sheet leaves margins.
namespace warpwise::lab::report {

/// An axis, on which each value has a position from 0 to 1.
struct Scale {
  double least = 0;
  double greatest = 1;
  bool logarithmic = false;

  double fraction(double value) const;
  std::vector<double> ticks(std::size_t most) const;
};

/// Returns a scale for values from `least` to `greatest`, with room beyond them. A linear scale
/// starts at 0 if no value is negative.
Scale scale_for(double least, double greatest, bool logarithmic);

/// Format an attribute of SVG: across() a share of the width, pixels() a length.
std::string across(double fraction);
std::string pixels(double length);

/// Draws the mark of a series. Each series has its own form and colour.
Html mark(double fraction, double y, std::size_t series, const std::string& title);
Html ring(double fraction, double y, const std::string& title);  ///< mark for a document's figure
/// Draws vertical grid lines with their numbers below, for a picture that is `height` high.
Html grid_across(const Scale& scale, double height, const std::string& unit);
/// Draws horizontal grid lines with their numbers at the left.
Html grid_up(const Scale& scale, double height);
/// Draws a picture. \param room  class of the element around it, which sets the room for numbers
Html picture(const char* room, double height, const std::string& description, const Html& inner);
/// Draws names of series beside their marks, then the document's ring if `has_document`.
Html legend(const std::vector<std::string>& names, bool has_document);

/// Draws all panels of a plot.
Html pictures_of(const Plot& plot);
Html dots_of(const Plot& plot, const PlotPanel& panel);
Html lines_of(const Plot& plot, const PlotPanel& panel);
Html map_of(const Plot& plot, const PlotPanel& panel);

}  // namespace warpwise::lab::report
