#pragma once

#include <array>
#include <string>
#include <utility>

#include "warpwise/lab/plot/plot.hpp"

namespace warpwise::lab {

/// Colours of lines, dots and texts: for a light page, then for a dark one. The first six are the
/// colours of series. People who cannot see red or green can tell them apart.
inline constexpr std::array<std::pair<const char*, const char*>, 10> plot_colours = {{
    {"#0072b2", "#58b6f0"},
    {"#c44e00", "#ff9248"},
    {"#007a58", "#35cf9f"},
    {"#a03d7c", "#e89ccb"},
    {"#8a6100", "#efc23c"},
    {"#4d4d4d", "#c4c9cf"},
    {"#1f2328", "#e6edf3"},  // text
    {"#59636e", "#9aa4ae"},  // notes, axes
    {"#d0d7de", "#333a42"},  // grid
    {"#ffffff", "#0d1117"},  // page
}};

/// Returns a script that makes gnuplot draw the plot into the file `output`, as SVG. No text of the
/// plot can act as a gnuplot command.
std::string gnuplot_script(const Plot& plot, const std::string& output);

}  // namespace warpwise::lab
