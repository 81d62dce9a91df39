// Fuzzes the readers of measurements. A text is refused only with InvalidArgument, or gives an HTML
// page. A record of `lab run` also gives a plot, its points as CSV, and a script for gnuplot.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/plot/gnuplot_script.hpp"
#include "warpwise/lab/plot/plot.hpp"
#include "warpwise/lab/report/page.hpp"
#include "warpwise/primitives/shared/ladder.hpp"

// No primitive is needed to read a record, so the list of ladders is empty here.
namespace warpwise::ladders {

std::span<const Ladder* const> all() { return {}; }

}  // namespace warpwise::ladders

namespace {

using namespace warpwise;
using fuzz::require;

std::size_t points_of(const lab::Plot& plot) {
  std::size_t points = 0;
  for (const lab::PlotPanel& panel : plot.panels) {
    require(!panel.series.empty(), "a panel shows something");
    require(panel.values[0] <= panel.values[1], "a value axis begins at its least value");
    for (const lab::PlotSeries& series : panel.series) {
      require(!series.points.empty(), "a series has points");
      points += series.points.size();
    }
  }
  return points;
}

void plot(const lab::Record& record) {
  const lab::Plot plot = lab::plot_of(record);
  const std::string csv = lab::csv_of(plot);
  require(points_of(plot) > 0, "a plot has points");
  require(csv.starts_with("panel,") && csv.ends_with('\n'), "figures are lines below their names");
  lab::gnuplot_script(plot, "out.svg");
}

void report(std::string_view text) {
  lab::report::Collection collection;
  lab::report::add_file(text, "record.json", collection);
  const std::string page = lab::report::page_of(collection, {});
  require(page.ends_with("</main></body></html>\n"), "a page is whole");
  require(page.find("=\"nan") == std::string::npos && page.find("=\"inf") == std::string::npos,
          "what is drawn lies somewhere");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    plot(lab::parse_record(text, "record.json"));
  } catch (const InvalidArgument&) {
  }
  try {
    report(text);
  } catch (const InvalidArgument&) {
  }
  return 0;
}
