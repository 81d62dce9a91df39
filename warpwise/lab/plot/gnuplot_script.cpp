#include "warpwise/lab/plot/gnuplot_script.hpp"

#include "warpwise/lab/plot/page.hpp"

namespace warpwise::lab {

std::string gnuplot_script(const Plot& plot, const std::string& output) {
  switch (plot.kind) {
    case PlotKind::dots: return dots_script(plot, output);
    case PlotKind::lines: return lines_script(plot, output);
    case PlotKind::maps: break;
  }
  return maps_script(plot, output);
}

}  // namespace warpwise::lab
