#pragma once

#include <string>

#include "warpwise/lab/plot/plot.hpp"

// Plots as SVG, drawn by gnuplot.
namespace warpwise::lab {

/// \throws Unsupported  no gnuplot of version 5.4 or later is on PATH: what to install
void require_gnuplot();

/// The file's text: one picture for light and for dark pages. \throws Unsupported, IoError
std::string svg_of(const Plot& plot);

}  // namespace warpwise::lab
