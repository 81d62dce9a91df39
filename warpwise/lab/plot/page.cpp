#include "warpwise/lab/plot/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/plot/scale.hpp"

namespace warpwise::lab {
namespace {

// Delimiter before and after each vertical position in the script. Positions are in pixels from the
// top. resolved() makes them shares of the page's height, which is known at the end. Texts are made
// printable, so they do not contain the delimiter.
constexpr char place_mark = '\1';
std::string format_screen_y(double y) { return fmt::format("{0}{1:.3f}{0}", place_mark, y); }
std::string format_screen_x(double x) { return fmt::format("{:.6f}", x / page_width); }

}  // namespace

double width_of(std::string_view text, double size) {
  const auto places = std::count_if(text.begin(), text.end(), [](char c) {
    // Counts the first byte of each UTF-8 character.
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  });
  return 0.56 * size * static_cast<double>(places);
}

// Quotes a text. A quote within it is doubled, since gnuplot reads two quotes as one.
std::string literal(const std::string& text) {
  std::string result = "'";
  for (const char c : io::printable(text)) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::vector<std::string> wrapped(const std::string& text, double size, double width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && width_of(lines.back() + " " + word, size) > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string data_line(std::initializer_list<double> numbers) {
  return fmt::format("{}\n", fmt::join(numbers, " "));
}

std::string tick_list(const std::vector<double>& values) {
  std::string list;
  for (const double each : values) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ",", literal(figure_text(each)), each);
  }
  return "(" + list + ")";
}

// In gnuplot, the points 7, 5, 9, 13, 6, 2 are a disc, square, triangle, diamond, ring and cross.
Style style_of(std::size_t series) {
  constexpr int points[] = {7, 5, 9, 13, 6, 2};
  constexpr int dashes[] = {1, 2, 4, 5, 3, 1};
  const std::size_t i = series % 6;
  return {plot_colours[i].first, points[i], dashes[i]};
}

std::string Page::script(const std::string& output) {
  head();
  fill();
  const double height = std::ceil(bottom_ + edge);
  return fmt::format(
      "set terminal svg size {},{} fixed noenhanced font 'sans-serif,{}' background rgb '{}'\n"
      "set output {}\nset encoding utf8\nset multiplot\nset tics scale 0.4 nomirror\n"
      "set errorbars 0\n{}unset multiplot\nset output\n",
      page_width, height, font, plot_colours[9].first, literal(output), resolved(height));
}

std::string Page::resolved(double height) const {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t mark = 0; (mark = script_.find(place_mark, begin)) != std::string::npos;) {
    const std::size_t end = script_.find(place_mark, mark + 1);
    const double y = std::stod(script_.substr(mark + 1, end - mark - 1));
    result += script_.substr(begin, mark - begin) + fmt::format("{:.6f}", 1 - y / height);
    begin = end + 1;
  }
  return result + script_.substr(begin);
}

void Page::label(double x, double y, const std::string& text, double size, const char* colour,
                 const char* more) {
  put("set label {} at screen {},screen {} {} font ',{}' tc rgb '{}'\n", literal(text),
      format_screen_x(x), format_screen_y(y), more, size, colour);
}

void Page::head() {
  bottom_ = edge;
  for (const std::string& line : wrapped(plot_.title, 1.08 * title_font, page_width - 2 * edge)) {
    label(edge, bottom_ + 0.5 * title_font, line, title_font, text_colour);
    bottom_ += 22;
  }
  for (const std::string& note : plot_.notes) {
    for (const std::string& line : wrapped(note, small_font, page_width - 2 * edge)) {
      label(edge, bottom_ + 0.5 * small_font, line, small_font, muted_colour);
      bottom_ += line_height;
    }
  }
  bottom_ += 4;
}

void Page::panel_title(const std::string& text) {
  for (const std::string& line : wrapped(text, font, page_width - 2 * edge)) {
    label(edge, bottom_ + 0.5 * font, line, font, text_colour);
    bottom_ += line_height;
  }
}

void Page::title_below(const Box& box, const std::string& text) {
  label(0.5 * (box.left + box.right), bottom_ + 0.4 * font, text, small_font, text_colour,
        "center");
  bottom_ += line_height;
}

void Page::place(const Box& box) {
  put("set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\n"
      "set bmargin at screen {}\n",
      format_screen_x(box.left), format_screen_x(box.right), format_screen_y(box.top),
      format_screen_y(box.bottom));
}

void Page::frame(const char* border) {
  put("set border {} lc rgb '{}'\nset grid lt 1 lw 0.7 lc rgb '{}'\n", border, muted_colour,
      grid_colour);
}

void Page::finish(const std::string& plots) {
  put("plot {}\nunset label\nunset object\nunset key\nunset x2tics\nunset y2tics\n"
      "unset logscale\nunset grid\n",
      plots);
}

std::string Page::legend(const std::vector<Entry>& entries) {
  double widest = 0;
  for (const Entry& each : entries) widest = std::max(widest, width_of(each.name, small_font));
  constexpr double sample = 70;
  const double room = page_width - 2 * edge;
  const auto columns = static_cast<std::size_t>(
      std::clamp(std::floor(room / (widest + sample)), 1.0, static_cast<double>(entries.size())));
  const std::size_t rows = (entries.size() + columns - 1) / columns;
  put("set key at screen {},screen {} left top Left reverse vertical maxrows {} samplen 2.2 "
      "spacing 1.15 width 1 font ',{}' tc rgb '{}'\n",
      format_screen_x(edge - 6), format_screen_y(bottom_), rows, small_font, text_colour);
  bottom_ += 22 * static_cast<double>(rows) + 10;
  std::string plots;
  for (const Entry& each : entries) {
    plots += fmt::format("keyentry with {} title {}, ", each.style, literal(each.name));
  }
  return plots;
}

std::string Page::data(const std::string& rows) {
  put("$d{} << EOD\n{}EOD\n", data_, rows);
  return fmt::format("$d{}", data_++);
}

std::pair<double, double> Page::value_range(const PlotPanel& panel, double room) const {
  double least = panel.values.front();
  double most = panel.values.back();
  if (plot_.value.logarithmic) {
    const double factor = std::max(std::pow(most / least, room), 1.05);
    return {least / factor, most * factor};
  }
  if (least >= 0) return {0, most > 0 ? most * (1 + room) : 1};
  most = std::max(most, 0.0);
  least -= room * (most - least);
  return {least, most + room * (most - least)};
}

std::vector<double> Page::value_ticks(const std::pair<double, double>& range,
                                      std::size_t most) const {
  return plot_.value.logarithmic ? log_ticks(range.first, range.second, most)
                                 : even_ticks(range.first, range.second, most);
}

}  // namespace warpwise::lab
