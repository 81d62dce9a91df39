#pragma once

#include <string>

#include "warpwise/lab/plot/plot.hpp"

// Draws plots as SVG with gnuplot.
namespace warpwise::lab {

/// Checks for gnuplot. \throws Unsupported  no gnuplot of version 5.4 or later is on PATH; the
/// message says what to install
void require_gnuplot();

/// Draws a plot, and returns the text of an SVG file that suits light and dark pages.
/// \throws Unsupported, IoError
std::string svg_of(const Plot& plot);

}  // namespace warpwise::lab
