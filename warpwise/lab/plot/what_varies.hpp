#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "warpwise/lab/plot/plot.hpp"

// Finds the parameters and settings in which a record's rows differ, and chooses axes among them.
namespace warpwise::lab {

// A row's value of a parameter or constant, or of one of @rung, @size, @block, @block_x, @block_y,
// @transfer and @cc (compute capability). Coordinates are sorted by the number, then by the text.
struct Coordinate {
  double number = 0;
  std::string text;
  bool operator<(const Coordinate& other) const {
    return std::tie(number, text) < std::tie(other.number, other.text);
  }
  bool operator==(const Coordinate& other) const = default;
};

struct RunRow {
  std::map<std::string, Coordinate> at;
  RecordedFigure figure;
  const RecordedRow* row = nullptr;
};

/// Returns the rows of a record that were run. Their figures are not set yet.
std::vector<RunRow> samples_of(const Record& record);

/// Returns the sides of a block, such as "32×8".
std::string shape_text(const std::array<std::int64_t, 3>& block);

struct Variation {
  PlotKind kind = PlotKind::dots;
  std::vector<std::string> drawn_axes;    ///< parameters drawn as axes, at most two; none for dots
  std::vector<std::string> undrawn_axes;  ///< others that vary; they distinguish series and panels
};

/// Finds the parameters and settings that vary between rows of the same rung. The block counts only
/// if it varies between rows with the same rung, size and parameters.
Variation what_varies(const std::vector<RunRow>& rows);

}  // namespace warpwise::lab
