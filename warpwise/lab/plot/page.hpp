#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/lab/plot/gnuplot_script.hpp"
#include "warpwise/lab/plot/plot.hpp"

// A plot's page, which is filled from the top to the bottom: what dots, lines and maps share.
namespace warpwise::lab {

// In pixels, which are units of the picture: a page shows it this wide, a telephone at about 330,
// where the smallest letters still have nine pixels.
inline constexpr double page_width = 460;
inline constexpr double edge = 12;
inline constexpr double line_height = 19;
inline constexpr double small_font = 13;
inline constexpr double font = 14;
inline constexpr double title_font = 16;
inline constexpr double tick_height = 27;  ///< of the numbers below an axis

inline constexpr const char* text_colour = plot_colours[6].first;
inline constexpr const char* muted_colour = plot_colours[7].first;
inline constexpr const char* grid_colour = plot_colours[8].first;

/// About how wide letters are.
double width_of(std::string_view text, double size);

/// A text as gnuplot takes it: in single quotes nothing is more than a text.
std::string literal(const std::string& text);

std::vector<std::string> wrapped(const std::string& text, double size, double width);

/// One number for gnuplot in each column.
std::string data_line(std::initializer_list<double> numbers);

/// For set xtics: numbers, written in three digits.
std::string tick_list(const std::vector<double>& values);

/// Lines and dots of a series, each in a form of its own, too.
struct Style {
  const char* colour;
  int point;  ///< gnuplot's numbers
  int dash;
};
Style style_of(std::size_t series);

/// Where the axes lie.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  double width() const { return right - left; }
};

class Page {
 public:
  virtual ~Page() = default;
  /// The whole script. \param output  the file that gnuplot writes
  std::string script(const std::string& output);

 protected:
  explicit Page(const Plot& plot) : plot_(plot) {}

  /// Everything below title and notes.
  virtual void fill() = 0;

  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(script_), format, std::forward<Arguments>(arguments)...);
  }
  void label(double x, double y, const std::string& text, double size, const char* colour,
             const char* more = "left");
  void panel_title(const std::string& text);
  /// The title of an axis in its middle, below what is placed so far.
  void title_below(const Box& box, const std::string& text);
  void place(const Box& box);
  void frame(const char* border);
  /// Draws what plot's arguments say, and takes back what only this panel has.
  void finish(const std::string& plots);

  struct Entry {
    std::string name;
    std::string style;
  };
  /// As many columns as have room. Returns what plot has to draw for it.
  std::string legend(const std::vector<Entry>& entries);

  /// Gives gnuplot these lines, and returns the name that it knows them by.
  std::string data(const std::string& lines);

  /// The range of the values, with room at its ends, and its numbers.
  std::pair<double, double> value_range(const PlotPanel& panel, double room) const;
  std::vector<double> value_ticks(const std::pair<double, double>& range, std::size_t most) const;

  const Plot& plot_;
  double bottom_ = 0;  ///< of what is placed so far, from the top

 private:
  void head();
  std::string resolved(double height) const;

  std::string script_;
  int data_ = 0;
};

/// Each the script of one kind of plot.
std::string dots_script(const Plot& plot, const std::string& output);
std::string lines_script(const Plot& plot, const std::string& output);
std::string maps_script(const Plot& plot, const std::string& output);

}  // namespace warpwise::lab
