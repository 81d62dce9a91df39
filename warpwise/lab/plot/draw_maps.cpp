// Draws maps: a cell for each pair of values on two axes, coloured by the value measured there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "warpwise/lab/plot/page.hpp"
#include "warpwise/lab/plot/scale.hpp"

namespace warpwise::lab {
namespace {

// Text colours on cells. Cells have the same colours on a dark page, so these text colours must not
// be among plot_colours, which a dark page replaces.
constexpr const char* on_dark_cell = "#fefefe";
constexpr const char* on_light_cell = "#010101";
constexpr const char* best_colour = "#e31a1c";

// Returns a colour from dark violet over green to yellow. The brightness rises in even steps, so
// that readers of any colour vision can read the scale.
std::array<int, 3> colour_at(double share) {
  constexpr std::array<std::array<int, 3>, 9> stops = {{{68, 1, 84},
                                                        {71, 45, 123},
                                                        {59, 82, 139},
                                                        {44, 114, 142},
                                                        {33, 145, 140},
                                                        {40, 174, 128},
                                                        {94, 201, 98},
                                                        {173, 220, 48},
                                                        {253, 231, 37}}};
  const double place = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto low = std::min<std::size_t>(static_cast<std::size_t>(place), stops.size() - 2);
  std::array<int, 3> colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = place - static_cast<double>(low);
    colour[i] =
        static_cast<int>(std::lround((1 - part) * stops[low][i] + part * stops[low + 1][i]));
  }
  return colour;
}

class Maps final : public Page {
 public:
  explicit Maps(const Plot& plot) : Page(plot) {}

 private:
  double share_of(double value) const {
    const double least = plot_.value.values.front();
    const double most = plot_.value.values.back();
    if (!(most > least)) return 0.5;
    return plot_.value.logarithmic ? std::log(value / least) / std::log(most / least)
                                   : (value - least) / (most - least);
  }

  static std::size_t place_of(const PlotAxis& axis, double value) {
    return static_cast<std::size_t>(
        std::lower_bound(axis.values.begin(), axis.values.end(), value) - axis.values.begin());
  }

  struct Axes {
    PlotAxis x;
    PlotAxis y;
  };

  // Returns a panel's axes. A map of block shapes leaves out widths and heights that its kernel was
  // not run with.
  Axes axes_of(const PlotPanel& panel) const {
    Axes axes = {plot_.x, plot_.y};
    if (!is_of_blocks()) return axes;
    const auto keep = [&](PlotAxis& axis, double PlotPoint::* side) {
      std::set<double> values;
      for (const PlotPoint& each : panel.series.front().points) values.insert(each.*side);
      axis.values.assign(values.begin(), values.end());
      axis.texts.clear();
      for (const double each : axis.values) axis.texts.push_back(figure_text(each));
    };
    keep(axes.x, &PlotPoint::x);
    keep(axes.y, &PlotPoint::y);
    return axes;
  }
  bool is_of_blocks() const { return plot_.x.name == "block_x"; }

  void fill() override {
    constexpr double left = 48;
    constexpr double gap = 12;
    std::size_t most_cells = 0;
    for (const PlotPanel& each : plot_.panels) {
      most_cells = std::max(most_cells, axes_of(each).x.values.size());
    }
    // A map with a number in each cell needs the whole width.
    const bool numbers = (page_width - 2 * edge - left) / static_cast<double>(most_cells) >= 36;
    const std::size_t columns = !numbers && !is_of_blocks() && plot_.panels.size() > 1 ? 2 : 1;
    const auto count = static_cast<double>(columns);
    const double width = (page_width - 2 * edge - left - gap * (count - 1)) / count;
    label(edge, bottom_ + 0.4 * font, plot_.y.title + ", upwards", small_font, text_colour);
    bottom_ += line_height + 4;
    for (std::size_t i = 0; i < plot_.panels.size(); i += columns) {
      const double top = bottom_;
      double lowest = top;
      for (std::size_t column = 0; column < columns && i + column < plot_.panels.size(); ++column) {
        const double x = edge + left + static_cast<double>(column) * (width + gap);
        bottom_ = top;
        map(plot_.panels[i + column], {x, top, x + width, 0}, column == 0, numbers);
        lowest = std::max(lowest, bottom_);
      }
      bottom_ = lowest + 6;
    }
    label(0.5 * page_width, bottom_ + 0.2 * font, plot_.x.title, small_font, text_colour, "center");
    bottom_ += line_height + 8;
    colour_bar();
  }

  // Returns the best point, or null if several points share the best value.
  const PlotPoint* best_of(const PlotSeries& series) const {
    const PlotPoint* best = nullptr;
    bool alone = false;
    for (const PlotPoint& each : series.points) {
      const bool better = best == nullptr || (plot_.higher_is_better ? each.value > best->value
                                                                     : each.value < best->value);
      alone = better || (alone && each.value != best->value);
      if (better) best = &each;
    }
    return alone ? best : nullptr;
  }

  std::string place_text(const PlotPoint& point) const {
    if (is_of_blocks()) return figure_text(point.x) + "×" + figure_text(point.y);
    return fmt::format("{} {}, {} {}", plot_.x.title, figure_text(point.x), plot_.y.title,
                       figure_text(point.y));
  }

  void map(const PlotPanel& panel, Box box, bool names_rows, bool numbers) {
    const Axes axes = axes_of(panel);
    const PlotSeries& series = panel.series.front();
    const PlotPoint* const best = best_of(series);
    std::string title = panel.title;
    if (best != nullptr) {
      title += fmt::format("{}best {} at {}", title.empty() ? "" : ": ", figure_text(best->value),
                           place_text(*best));
    }
    for (const std::string& line : wrapped(title, small_font, box.width())) {
      label(box.left, bottom_ + 0.5 * font, line, small_font, text_colour);
      bottom_ += line_height - 2;
    }
    box.top = bottom_ + 3;
    const double cell = box.width() / static_cast<double>(axes.x.values.size());
    box.bottom = box.top + std::min(cell, 26.0) * static_cast<double>(axes.y.values.size());
    bottom_ = box.bottom + tick_height;
    place(box);
    map_axes(axes, box, names_rows);
    std::string cells;
    std::string texts[2];  // numbers on dark and on light cells
    for (const PlotPoint& point : series.points) {
      const auto x = static_cast<double>(place_of(axes.x, point.x));
      const auto y = static_cast<double>(place_of(axes.y, point.y));
      const std::array<int, 3> colour = colour_at(share_of(point.value));
      cells += fmt::format("{} {} {}\n", x, y, 65536 * colour[0] + 256 * colour[1] + colour[2]);
      const bool light = share_of(point.value) > 0.55;
      texts[light ? 1 : 0] += fmt::format("{} {} \"{}\"\n", x, y, figure_text(point.value));
    }
    std::string plots = fmt::format(
        "{} using 1:2:(0.5):(0.5):3 with boxxyerror fs solid 1 noborder lc rgb variable notitle, ",
        data(cells));
    for (const int light : {0, 1}) {
      if (!numbers || texts[light].empty()) continue;
      plots += fmt::format("{} using 1:2:3 with labels font ',12' tc rgb '{}' notitle, ",
                           data(texts[light]), light == 1 ? on_light_cell : on_dark_cell);
    }
    if (best != nullptr) {
      const auto x = static_cast<double>(place_of(axes.x, best->x));
      const auto y = static_cast<double>(place_of(axes.y, best->y));
      put("set object 1 rect from {},{} to {},{} front fs empty border lc rgb '{}' lw 2.5\n",
          x - 0.5, y - 0.5, x + 0.5, y + 0.5, best_colour);
    }
    finish(plots);
  }

  static std::string axis_ticks(const PlotAxis& axis, std::size_t most) {
    std::string list;
    for (const std::size_t i : thinned(axis.values.size(), most)) {
      list += fmt::format("{}{} {}", list.empty() ? "" : ",", literal(axis.texts[i]), i);
    }
    return "(" + list + ")";
  }

  void map_axes(const Axes& axes, const Box& box, bool names_rows) {
    double widest = 0;
    for (const std::string& each : axes.x.texts) {
      widest = std::max(widest, width_of(each, small_font) + 6);
    }
    put("set border 15 lc rgb '{}'\nset xrange [-0.5:{}]\nset yrange [-0.5:{}]\n", muted_colour,
        static_cast<double>(axes.x.values.size()) - 0.5,
        static_cast<double>(axes.y.values.size()) - 0.5);
    put("set xtics {} offset 0,0.35 font ',{}' tc rgb '{}'\n",
        axis_ticks(axes.x, static_cast<std::size_t>(box.width() / widest)), small_font,
        text_colour);
    const auto most = static_cast<std::size_t>((box.bottom - box.top) / 16);
    if (names_rows) {
      put("set ytics {} font ',{}' tc rgb '{}'\n", axis_ticks(axes.y, most), small_font,
          text_colour);
    } else {
      put("unset ytics\n");
    }
  }

  void colour_bar() {
    const Box box{edge + 48, bottom_, page_width - edge, bottom_ + 12};
    place(box);
    constexpr int steps = 48;
    std::string cells;
    for (int i = 0; i < steps; ++i) {
      const std::array<int, 3> colour = colour_at((i + 0.5) / steps);
      cells += fmt::format("{} 0 {}\n", i, 65536 * colour[0] + 256 * colour[1] + colour[2]);
    }
    const double least = plot_.value.values.front();
    const double most = plot_.value.values.back();
    std::string list;
    const auto shown = most > least ? value_ticks({least, most}, 6) : std::vector<double>{least};
    for (const double each : shown) {
      list += fmt::format("{}{} {}", list.empty() ? "" : ",", literal(figure_text(each)),
                          share_of(each) * steps - 0.5);
    }
    put("set border 15 lc rgb '{}'\nset xrange [-0.5:{}]\nset yrange [-0.5:0.5]\nunset ytics\n"
        "set xtics ({}) offset 0,0.35 font ',{}' tc rgb '{}'\n",
        muted_colour, steps - 0.5, list, small_font, text_colour);
    bottom_ = box.bottom + tick_height;
    label(0.5 * (box.left + box.right), bottom_ + 0.4 * font,
          plot_.value.title + (plot_.higher_is_better ? "; more is better" : "; less is better"),
          small_font, text_colour, "center");
    bottom_ += line_height;
    finish(fmt::format(
        "{} using 1:2:(0.5):(0.5):3 with boxxyerror fs solid 1 noborder lc rgb variable notitle",
        data(cells)));
  }
};

}  // namespace

std::string maps_script(const Plot& plot, const std::string& output) {
  return Maps(plot).script(output);
}

}  // namespace warpwise::lab
