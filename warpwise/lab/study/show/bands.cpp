#include "warpwise/lab/study/show/bands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

using ladders::Division;
using ladders::Operand;
using ladders::Problem;

std::int64_t bytes_of(const Operand& operand) {
  return static_cast<std::int64_t>(operand.memory().size());
}

BandProblem::Slice slice_of(const Operand& whole, const Operand& part, const Division& division,
                            const Band& band) {
  const std::int64_t bytes = bytes_of(whole);
  const std::int64_t unit = bytes / division.units;
  if (bytes % division.units == 0 && bytes_of(part) == unit * band.all()) {
    if (!whole.is_output()) return {unit * (band.first - band.above), 0, bytes_of(part)};
    return {unit * band.first, unit * band.above, unit * band.units};
  }
  // If an input's size does not depend on the number of rows, each band needs the whole input.
  if (!whole.is_output() && bytes_of(part) == bytes) return {0, 0, bytes};
  throw Unsupported(fmt::format(
      "{} of {} bytes cannot be divided into {} equal units, and chunks are made of such units",
      whole.name(), bytes, division.units));
}

}  // namespace

std::vector<Band> bands_of(const Division& division, int count) {
  if (count > division.units) {
    throw Unsupported(
        fmt::format("{} chunks are impossible: the problem has only {} units of {} rows, and a "
                    "unit is never divided",
                    count, division.units, division.unit_rows));
  }
  std::vector<Band> bands;
  for (int i = 0; i < count; ++i) {
    Band band;
    band.first = division.units * i / count;
    band.units = division.units * (i + 1) / count - band.first;
    band.above = std::min(division.halo, band.first);
    band.below = std::min(division.halo, division.units - band.first - band.units);
    bands.push_back(band);
  }
  return bands;
}

std::vector<BandProblem> band_problems(const ladders::Ladder& ladder, const Problem& whole,
                                       const ladders::Variables& parameters, int count) {
  const Division division = ladder.division(whole);
  const std::int64_t width = whole.variables.at("width");
  const std::int64_t height = whole.variables.at("height");
  if (count > 1 && division.units * division.unit_rows != height) {
    throw Unsupported(fmt::format(
        "{} rows cannot be divided into units of {} rows, and chunks are made of such units",
        height, division.unit_rows));
  }
  std::vector<BandProblem> result;
  for (const Band& band : bands_of(division, count)) {
    const std::int64_t rows = count == 1 ? height : band.all() * division.unit_rows;
    BandProblem made{ladder.problem(width, rows, parameters, {}), {}};
    for (std::size_t i = 0; i < whole.operands.size(); ++i) {
      made.slices.push_back(
          count == 1 ? BandProblem::Slice{0, 0, bytes_of(whole.operands[i])}
                     : slice_of(whole.operands[i], made.problem.operands[i], division, band));
    }
    result.push_back(std::move(made));
  }
  return result;
}

}  // namespace warpwise::lab
