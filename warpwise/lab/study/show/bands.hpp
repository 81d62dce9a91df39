#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/lab/study/table/study_table.hpp"

// Cuts a problem into bands of rows, each a problem of its own, so that their transfers overlap.
namespace warpwise::lab {

/// A band, in units of a ladders::Division. The band's results need the units above and below it.
/// These units are computed with the band, but belong to the neighbouring bands.
struct Band {
  std::int64_t first = 0;
  std::int64_t units = 0;
  std::int64_t above = 0;
  std::int64_t below = 0;

  std::int64_t all() const { return above + units + below; }
  friend bool operator==(const Band&, const Band&) = default;
};

/// Returns `count` bands that together have every unit once. Their sizes differ by at most one.
/// \throws Unsupported  there are fewer units
std::vector<Band> bands_of(const ladders::Division& division, int count);

/// A band as a problem, and the offsets of its operands in the whole problem's memory.
struct BandProblem {
  /// Bytes of an operand, with their offsets in the whole problem's and in the band's memory. An
  /// input has all bytes that the band needs, an output only the bytes that belong to the band.
  struct Slice {
    std::int64_t in_whole = 0;
    std::int64_t in_band = 0;
    std::int64_t bytes = 0;
  };

  ladders::Problem problem;   ///< with undefined contents of its operands
  std::vector<Slice> slices;  ///< one for each operand
};

/// Cuts a problem into bands.
/// \param whole       problem whose rows lie without gaps
/// \param parameters  parameters that `whole` was made with
/// \throws Unsupported  the problem cannot be divided in this way, with the reason
std::vector<BandProblem> band_problems(const ladders::Ladder& ladder, const ladders::Problem& whole,
                                       const ladders::Variables& parameters, int count);

}  // namespace warpwise::lab
