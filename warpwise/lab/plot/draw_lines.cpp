// Draws lines over one axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpwise/lab/plot/page.hpp"
#include "warpwise/lab/plot/scale.hpp"

namespace warpwise::lab {
namespace {

class Lines final : public Page {
 public:
  explicit Lines(const Plot& plot) : Page(plot) {}

 private:
  void fill() override {
    std::vector<std::string> told;  // names in the last legend that was drawn
    for (const PlotPanel& panel : plot_.panels) {
      if (!panel.title.empty()) panel_title(panel.title);
      std::string plots;
      std::vector<std::string> names;
      for (const PlotSeries& each : panel.series) names.push_back(each.name);
      if (names != told) plots = line_legend(panel);
      told = names;
      label(edge, bottom_ + 0.4 * font, plot_.value.title, small_font, text_colour);
      bottom_ += line_height + 4;
      const Box box{edge + 44, bottom_, page_width - edge - 6, bottom_ + 210};
      bottom_ = box.bottom + tick_height;
      label(0.5 * (box.left + box.right), bottom_ + 0.4 * font, plot_.x.title, small_font,
            text_colour, "center");
      bottom_ += line_height + 8;
      place(box);
      line_axes(box, value_range(panel, 0.06));
      for (std::size_t i = 0; i < panel.series.size(); ++i) plots += line_of(panel.series[i], i);
      finish(plots);
    }
  }

  std::string line_legend(const PlotPanel& panel) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      const PlotSeries& each = panel.series[i];
      const Style style = style_of(i);
      entries.push_back({each.name, each.is_level ? fmt::format("lines dt {} lw 1.8 lc rgb '{}'",
                                                                style.dash, style.colour)
                                                  : line_style(i)});
    }
    return legend(entries);
  }

  static std::string line_style(std::size_t index) {
    const Style style = style_of(index);
    return fmt::format("linespoints pt {} ps 0.65 dt {} lw 1.8 lc rgb '{}'", style.point,
                       style.dash, style.colour);
  }

  void line_axes(const Box& box, const std::pair<double, double>& range) {
    frame("3");
    const std::vector<double>& values = plot_.x.values;
    const double least = values.front();
    const double most = values.back();
    double low = least;
    double high = most;
    if (plot_.x.logarithmic) {
      const double factor = std::pow(most / least, 0.03);
      low = least / factor;
      high = most * factor;
      put("set logscale x\n");
    } else {
      const double margin = most > least ? 0.03 * (most - least) : 1;
      low -= margin;
      high += margin;
    }
    put("set xrange [{}:{}]\n", low, high);
    std::vector<double> at = values;
    constexpr std::size_t most_exact = 12;
    if (values.size() > most_exact) {
      at = plot_.x.logarithmic ? log_ticks(least, most, 8) : even_ticks(least, most, 8);
    }
    keep_those_with_room(at, low, high, box.width());
    put("set xtics {} offset 0,0.35 font ',{}' tc rgb '{}'\n", tick_list(at), small_font,
        text_colour);
    put("set yrange [{}:{}]\n", range.first, range.second);
    if (plot_.value.logarithmic) put("set logscale y\n");
    put("set ytics {} font ',{}' tc rgb '{}'\n", tick_list(value_ticks(range, 7)), small_font,
        text_colour);
  }

  // Goes over the ticks from left to right. Removes a tick if its number would touch the number of
  // the last tick that was kept.
  void keep_those_with_room(std::vector<double>& ticks, double low, double high,
                            double width) const {
    double free = -width;
    std::erase_if(ticks, [&](double tick) {
      const double share = plot_.x.logarithmic ? std::log(tick / low) / std::log(high / low)
                                               : (tick - low) / (high - low);
      const double half = 0.5 * width_of(figure_text(tick), small_font) + 3;
      if (share * width - half < free) return true;
      free = share * width + half;
      return false;
    });
  }

  std::string line_of(const PlotSeries& series, std::size_t index) {
    if (series.points.empty()) return "";
    std::string rows;
    for (const PlotPoint& point : series.points) {
      rows += data_line({point.x, point.value, point.low.value_or(point.value),
                         point.high.value_or(point.value)});
    }
    if (series.is_level) {
      // The kernel does not have the x axis's parameter. Its one value becomes a level line without
      // marks, since nothing was measured along the axis.
      const double level = series.points.front().value;
      return fmt::format("{} using 1:2 with lines dt {} lw 1.8 lc rgb '{}' notitle, ",
                         data(data_line({plot_.x.values.front(), level}) +
                              data_line({plot_.x.values.back(), level})),
                         style_of(index).dash, style_of(index).colour);
    }
    const std::string name = data(rows);
    constexpr std::size_t most_marks = 40;
    const std::size_t apart = (series.points.size() + most_marks - 1) / most_marks;
    return fmt::format(
        "{0} using 1:3:(0):($4-$3) with vectors nohead lw 1.1 lc rgb '{1}' notitle, "
        "{0} using 1:2 with {2} pi {3} notitle, ",
        name, style_of(index).colour, line_style(index), apart);
  }
};

}  // namespace

std::string lines_script(const Plot& plot, const std::string& output) {
  return Lines(plot).script(output);
}

}  // namespace warpwise::lab
