#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/report/html.hpp"

// Pictures as SVG inside of the page. Across they are laid out in shares of their width, so that
// letters keep their size on a telephone and on a large screen; numbers and names stand outside of
// the axes, in room that the style sheet leaves.
namespace warpwise::lab::report {

/// An axis: where a value lies on it, from 0 to 1.
struct Scale {
  double least = 0;
  double greatest = 1;
  bool logarithmic = false;

  double fraction(double value) const;
  std::vector<double> ticks(std::size_t most) const;
};

/// One for values from `least` to `greatest`, with room beyond them; from 0 where it is not
/// logarithmic and nothing is negative.
Scale scale_for(double least, double greatest, bool logarithmic);

/// Of an attribute of SVG: a share of the width, a length in pixels.
std::string across(double fraction);
std::string pixels(double length);

/// The mark of a series: each has a form and a colour of its own.
Html mark(double fraction, double y, std::size_t series, const std::string& title);
Html ring(double fraction, double y, const std::string& title);  ///< of a document's figure
/// Vertical lines of the grid with their numbers below, for a picture that is `height` high.
Html grid_across(const Scale& scale, double height, const std::string& unit);
/// Horizontal ones with their numbers at the left.
Html grid_up(const Scale& scale, double height);
/// \param room  class of the element around it: how much room there is for numbers
Html picture(const char* room, double height, const std::string& description, const Html& inner);
/// Names of series beside their marks. The document's ring, where one is drawn, comes last.
Html legend(const std::vector<std::string>& names, bool has_document);

/// All panels of a plot.
Html pictures_of(const Plot& plot);
Html dots_of(const Plot& plot, const PlotPanel& panel);
Html lines_of(const Plot& plot, const PlotPanel& panel);
Html map_of(const Plot& plot, const PlotPanel& panel);

}  // namespace warpwise::lab::report
