#pragma once

#include <string>

#include "warpwise/lab/plot/plot.hpp"

// Draws plots as SVG with gnuplot.
namespace warpwise::lab {

/// Checks for gnuplot. \throws Unsupported  no gnuplot of version 5.4 or later is on PATH; says
/// what to install
void require_gnuplot();

/// Returns the text of an SVG file: one picture for light and for dark pages.
/// \throws Unsupported, IoError
std::string svg_of(const Plot& plot);

}  // namespace warpwise::lab
