#pragma once

#include <array>
#include <string>
#include <utility>

#include "warpwise/lab/plot/plot.hpp"

namespace warpwise::lab {

/// Colours of lines, dots and texts: as they are drawn, and what stands for them on a dark page.
/// Those of series come first, and are told apart by people who see no red or no green.
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

/// What gnuplot has to be given to draw this into the file `output`, as SVG. No text of the plot
/// can be a command.
std::string gnuplot_script(const Plot& plot, const std::string& output);

}  // namespace warpwise::lab
