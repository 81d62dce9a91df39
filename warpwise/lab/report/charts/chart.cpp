#include "warpwise/lab/report/charts/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpwise/lab/plot/scale.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {

double Scale::fraction(double value) const {
  const double share = logarithmic ? std::log(value / least) / std::log(greatest / least)
                                   : (value - least) / (greatest - least);
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.5;
}

std::vector<double> Scale::ticks(std::size_t most) const {
  return logarithmic ? log_ticks(least, greatest, most) : even_ticks(least, greatest, most);
}

Scale scale_for(double least, double greatest, bool logarithmic) {
  constexpr double room = 0.06;
  // Larger numbers cannot be measurements, and the room beside them on the axis would overflow.
  constexpr double extreme = 1e100;
  least = std::clamp(least, -extreme, extreme);
  greatest = std::clamp(greatest, least, extreme);
  if (logarithmic) least = std::max(least, 1 / extreme);
  greatest = std::max(least, greatest);
  if (logarithmic && least > 0) {
    const double factor = std::pow(std::max(greatest / least, 1.5), room);
    return {least / factor, greatest * factor, true};
  }
  if (least >= 0) return {0, greatest > 0 ? greatest * (1 + room) : 1, false};
  const double beyond = room * (greatest - least);
  return {least - beyond, greatest > least ? greatest + beyond : least + 1, false};
}

std::string across(double fraction) { return fmt::format("{:.2f}%", 100 * fraction); }

std::string pixels(double length) { return fmt::format("{:.6g}", length); }

Html mark(double fraction, double y, std::size_t series, const std::string& title) {
  constexpr const char* forms[] = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
                                   "M-3.6 -3.6h7.2v7.2h-7.2z",
                                   "M0 -4.6L4.4 3.4H-4.4z",
                                   "M0 -5L5 0L0 5L-5 0z",
                                   "M0 4.6L4.4 -3.4H-4.4z",
                                   "M-4.5 -1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z"};
  const std::string kind = fmt::format("m s{}", series % std::size(forms));
  Html form = element("path", {{"class", kind}, {"d", forms[series % std::size(forms)]}},
                      title.empty() ? Html() : element("title", title));
  return element("svg", {{"x", across(fraction)}, {"y", pixels(y)}}, form);
}

Html ring(double fraction, double y, const std::string& title) {
  return element("circle",
                 {{"class", "ring"}, {"cx", across(fraction)}, {"cy", pixels(y)}, {"r", "4.5"}},
                 title.empty() ? Html() : element("title", title));
}

Html vertical_grid_lines(const Scale& scale, double height, const std::string& unit) {
  constexpr std::size_t most = 5;  // numbers that fit on a telephone's width
  Html html;
  for (const double each : scale.ticks(most)) {
    const std::string x = across(scale.fraction(each));
    html +=
        lone("line", {{"class", "g"}, {"x1", x}, {"x2", x}, {"y1", "0"}, {"y2", pixels(height)}});
    html += element("text", {{"class", "t mid"}, {"x", x}, {"y", pixels(height + 15)}},
                    unit == "×" ? unit + figure_text(each) : figure_text(each) + unit);
  }
  return html;
}

Html horizontal_grid_lines(const Scale& scale, double height) {
  constexpr std::size_t most = 6;
  Html html;
  for (const double each : scale.ticks(most)) {
    const std::string y = pixels(height * (1 - scale.fraction(each)));
    html += lone("line", {{"class", "g"}, {"x1", "0"}, {"x2", "100%"}, {"y1", y}, {"y2", y}});
    html += element("text", {{"class", "t end"}, {"x", "-6"}, {"y", y}, {"dy", "4"}},
                    figure_text(each));
  }
  return html;
}

Html picture(const char* room, double height, const std::string& description, const Html& inner) {
  return element("div", {{"class", room}},
                 element("svg",
                         {{"class", "chart"},
                          {"role", "img"},
                          {"aria-label", description},
                          {"width", "100%"},
                          {"height", pixels(height)}},
                         inner));
}

Html legend(const std::vector<std::string>& names, bool has_document) {
  Html items;
  const auto add = [&](const Html& sample, const std::string& name) {
    items += element(
        "li", element("svg", {{"width", "14"}, {"height", "12"}, {"aria-hidden", "true"}}, sample) +
                  text(name));
  };
  for (std::size_t i = 0; i < names.size(); ++i) add(mark(0.5, 6, i, ""), names[i]);
  if (has_document) add(ring(0.5, 6, ""), words().document_dot);
  return element("ul", {{"class", "legend"}}, items);
}

Html pictures_of(const Plot& plot) {
  Html panels;
  for (const PlotPanel& panel : plot.panels) {
    Html inner;
    if (!panel.title.empty()) inner += element("p", {{"class", "panel"}}, panel.title);
    if (plot.kind == PlotKind::dots) inner += dots_of(plot, panel);
    if (plot.kind == PlotKind::lines) inner += lines_of(plot, panel);
    if (plot.kind == PlotKind::maps) inner += map_of(plot, panel);
    panels += element("div", inner);
  }
  return element("div", {{"class", plot.panels.size() > 1 ? "panels" : "one"}}, panels);
}

}  // namespace warpwise::lab::report
