#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "warpwise/lab/plot/plot.hpp"

// What the rows of a record differ in, and which of that are axes.
namespace warpwise::lab {

// Where a row lies on something that varies, a parameter, a constant, or @rung, @size, @block,
// @block_x, @block_y, @transfer or @cc: ordered by the number.
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

/// Of a record's rows those that were run, without a figure yet.
std::vector<RunRow> samples_of(const Record& record);

/// "32×8".
std::string shape_text(const std::array<std::int64_t, 3>& block);

struct Variation {
  PlotKind kind = PlotKind::dots;
  std::vector<std::string> numeric;  ///< one or two that are drawn as axes; of dots none
  std::vector<std::string> named;    ///< what else varies, but kernels: series and panels
};

/// What a rung fixes is no axis, nor is a block that follows from what varies.
Variation what_varies(const std::vector<RunRow>& rows);

}  // namespace warpwise::lab
