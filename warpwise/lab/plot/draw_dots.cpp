// Draws a plot of dots: a row for each kernel, with a dot at its value on a common axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/plot/page.hpp"
#include "warpwise/lab/plot/scale.hpp"

namespace warpwise::lab {
namespace {

constexpr std::size_t longest_name = 29;  // letters that fit into half of the width

class Dots final : public Page {
 public:
  explicit Dots(const Plot& plot) : Page(plot) {}

 private:
  void fill() override {
    double names = 0;
    for (const std::string& each : plot_.x.texts)
      names = std::max(names, width_of(each, small_font));
    names = std::min(names, width_of(std::string(longest_name, 'n'), small_font));
    double texts = 0;
    for (const std::string& each : plot_.row_texts)
      texts = std::max(texts, width_of(each, small_font));
    const std::size_t kinds = plot_.panels.front().series.size();
    const double row = kinds > 2 ? 27 : kinds > 1 ? 23 : 20;
    for (const PlotPanel& panel : plot_.panels) {
      std::string plots = dot_legend(panel);
      if (!panel.title.empty()) panel_title(panel.title);
      Box box{edge + names + 8, bottom_, page_width - edge - texts - 10, 0};
      if (plot_.value_at_speedup_1) box.top += 2.3 * line_height;
      box.bottom = box.top + row * static_cast<double>(plot_.x.texts.size()) + 6;
      bottom_ = box.bottom + tick_height;
      title_below(box, plot_.value.title);
      bottom_ += 4;
      place(box);
      dot_axes(panel, box);
      for (std::size_t i = 0; i < panel.series.size(); ++i) {
        plots += dots_of(panel.series[i], i, panel.series.size());
      }
      finish(plots);
    }
  }

  std::string dot_legend(const PlotPanel& panel) {
    std::vector<Entry> entries;
    const bool spread = has_spread(panel);
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      const Style style = style_of(i);
      std::string name = panel.series.size() > 1 ? panel.series[i].name : "measured";
      if (spread && i == 0) name += ", with 5th and 95th percentile";
      entries.push_back(
          {name, fmt::format("points pt {} ps 0.8 lc rgb '{}'", style.point, style.colour)});
    }
    if (plot_.has_document) {
      entries.push_back({"the document's speed-up",
                         fmt::format("points pt 12 ps 1.1 lw 1.5 lc rgb '{}'", text_colour)});
    }
    if (entries.size() == 1 && !spread) return "";
    return legend(entries);
  }

  static bool has_spread(const PlotPanel& panel) {
    return std::any_of(panel.series.begin(), panel.series.end(), [](const PlotSeries& series) {
      return std::any_of(series.points.begin(), series.points.end(),
                         [](const PlotPoint& point) { return point.low && point.high; });
    });
  }

  void dot_axes(const PlotPanel& panel, const Box& box) {
    std::pair<double, double> range = value_range(panel, 0.06);
    const bool share_of_roof = plot_.value.name == "share_of_roof_percent";
    // If shares of the roof exceed 50 %, the axis extends to the roof, 100 %.
    if (share_of_roof && range.second > 50) range.second = std::max(100.0, range.second);
    frame("1");
    const std::size_t rows = plot_.x.texts.size();
    put("set xrange [{}:{}]\nset yrange [{}:-0.5]\nset y2range [{}:-0.5]\n", range.first,
        range.second, static_cast<double>(rows) - 0.5, static_cast<double>(rows) - 0.5);
    if (plot_.value.logarithmic) put("set logscale x\n");
    const auto most = static_cast<std::size_t>(box.width() / 40);
    put("set xtics {} offset 0,0.35 font ',{}' tc rgb '{}'\n", tick_list(value_ticks(range, most)),
        small_font, text_colour);
    std::string names;
    std::string texts;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string name = io::shortened(plot_.x.texts[i], longest_name);
      names += fmt::format("{}{} {}", i == 0 ? "" : ",", literal(name), i);
      texts += fmt::format("{}{} {}", i == 0 ? "" : ",", literal(plot_.row_texts[i]), i);
    }
    put("set ytics ({}) font ',{}' tc rgb '{}' scale 0\n", names, small_font, text_colour);
    put("set y2tics ({}) font ',{}' tc rgb '{}' scale 0\n", texts, small_font, text_colour);
    if (plot_.value_at_speedup_1) speedup_axis(box, range);
  }

  // Draws the axis of speed-ups above the dots. Its numbers are powers of two or, in a narrow
  // range, evenly spaced.
  void speedup_axis(const Box& box, const std::pair<double, double>& range) {
    const auto speedup_at = [&](double value) {
      return plot_.higher_is_better ? value / *plot_.value_at_speedup_1
                                    : *plot_.value_at_speedup_1 / value;
    };
    const double least = std::min(speedup_at(range.first), speedup_at(range.second));
    const double most = std::max(speedup_at(range.first), speedup_at(range.second));
    std::vector<double> steps;
    for (double each = std::exp2(std::ceil(std::log2(least))); each <= most; each *= 2) {
      steps.push_back(each);
    }
    const auto room = static_cast<std::size_t>(box.width() / 36);
    std::vector<double> shown;
    for (const std::size_t i : thinned(steps.size(), room)) shown.push_back(steps[i]);
    if (shown.size() < 3) shown = even_ticks(least, most, 5);
    std::string list;
    for (const double each : shown) {
      const double at = plot_.higher_is_better ? *plot_.value_at_speedup_1 * each
                                               : *plot_.value_at_speedup_1 / each;
      list += fmt::format("{}{} {}", list.empty() ? "" : ",", literal("×" + figure_text(each)), at);
    }
    put("set x2range [{}:{}]\nset x2tics ({}) offset 0,-0.35 font ',{}' tc rgb '{}'\n", range.first,
        range.second, list, small_font, text_colour);
    if (plot_.value.logarithmic) put("set logscale x2\n");
    label(0.5 * (box.left + box.right), box.top - 1.8 * line_height, "times as fast as the first",
          small_font, text_colour, "center");
  }

  std::string dots_of(const PlotSeries& series, std::size_t index, std::size_t count) {
    if (series.points.empty()) return "";
    const double offset =
        count == 1 ? 0 : 0.5 * (static_cast<double>(index) / static_cast<double>(count - 1) - 0.5);
    const Style style = style_of(index);
    std::string values;
    std::string documents;
    for (const PlotPoint& point : series.points) {
      const double y = point.x + offset;
      values += data_line(
          {point.value, y, point.low.value_or(point.value), point.high.value_or(point.value)});
      if (point.document) documents += data_line({*point.document, point.x});
    }
    std::string plots =
        fmt::format("{} using 1:2:3:4 with xerrorbars pt {} ps 0.8 lw 1.3 lc rgb '{}' notitle, ",
                    data(values), style.point, style.colour);
    if (!documents.empty()) {
      plots += fmt::format("{} using 1:2 with points pt 12 ps 1.1 lw 1.5 lc rgb '{}' notitle, ",
                           data(documents), text_colour);
    }
    return plots;
  }
};

}  // namespace

std::string dots_script(const Plot& plot, const std::string& output) {
  return Dots(plot).script(output);
}

}  // namespace warpwise::lab
