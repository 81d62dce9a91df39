#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/lab/plot/gnuplot_script.hpp"
#include "warpwise/lab/plot/plot.hpp"

// A plot's page, filled from top to bottom. Dots, lines and maps derive from it.
namespace warpwise::lab {

// Sizes in pixels of the picture, which is page_width wide. A telephone shows the picture about 330
// pixels wide, and the smallest letters then still have nine pixels.
inline constexpr double page_width = 460;
inline constexpr double edge = 12;
inline constexpr double line_height = 19;
inline constexpr double small_font = 13;
inline constexpr double font = 14;
inline constexpr double title_font = 16;
inline constexpr double tick_height = 27;  ///< height of the numbers below an axis

inline constexpr const char* text_colour = plot_colours[6].first;
inline constexpr const char* muted_colour = plot_colours[7].first;
inline constexpr const char* grid_colour = plot_colours[8].first;

/// Returns the approximate width of a text.
double width_of(std::string_view text, double size);

/// Quotes a text for gnuplot in single quotes, so that no part of it can act as a command.
std::string literal(const std::string& text);

std::vector<std::string> wrapped(const std::string& text, double size, double width);

/// Returns a line of data for gnuplot, with one number per column.
std::string data_line(std::initializer_list<double> numbers);

/// Returns the argument of `set xtics`: the numbers with three digits, and their positions.
std::string tick_list(const std::vector<double>& values);

/// Look of a series' lines and dots. Each series has its own colour and form of dot.
struct Style {
  const char* colour;
  int point;  ///< gnuplot's number of the dot's form
  int dash;
};
Style style_of(std::size_t series);

/// Position of the axes in pixels of the page.
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
  /// Returns the whole gnuplot script. \param output  the file that gnuplot writes
  std::string script(const std::string& output);

 protected:
  explicit Page(const Plot& plot) : plot_(plot) {}

  /// Draws everything below title and notes.
  virtual void fill() = 0;

  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(script_), format, std::forward<Arguments>(arguments)...);
  }
  void label(double x, double y, const std::string& text, double size, const char* colour,
             const char* more = "left");
  void panel_title(const std::string& text);
  /// Writes the title of an axis at its middle, below everything that is placed so far.
  void title_below(const Box& box, const std::string& text);
  void place(const Box& box);
  void frame(const char* border);
  /// Draws with `plots` as gnuplot's arguments of `plot`, then resets the panel's settings.
  void finish(const std::string& plots);

  struct Entry {
    std::string name;
    std::string style;
  };
  /// Lays out the legend in as many columns as fit. Returns arguments of `plot` that draw it.
  std::string legend(const std::vector<Entry>& entries);

  /// Writes lines as a data block of the script. Returns the block's name.
  std::string data(const std::string& lines);

  /// Return a panel's range of values with room at its ends, and the numbers to write on the axis.
  std::pair<double, double> value_range(const PlotPanel& panel, double room) const;
  std::vector<double> value_ticks(const std::pair<double, double>& range, std::size_t most) const;

  const Plot& plot_;
  double bottom_ = 0;  ///< distance from the page's top to the bottom of all that is placed so far

 private:
  void head();
  std::string resolved(double height) const;

  std::string script_;
  int data_ = 0;
};

std::string dots_script(const Plot& plot, const std::string& output);
std::string lines_script(const Plot& plot, const std::string& output);
std::string maps_script(const Plot& plot, const std::string& output);

}  // namespace warpwise::lab
