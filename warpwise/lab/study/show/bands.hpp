#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/lab/study/table/study_table.hpp"

// Cuts a problem into bands of rows, each a problem of its own, so that their transfers overlap.
namespace warpwise::lab {

/// A band, in units of a ladders::Division. Its results need the units above and below it. Those
/// are computed with the band, but belong to its neighbours.
struct Band {
  std::int64_t first = 0;
  std::int64_t units = 0;
  std::int64_t above = 0;
  std::int64_t below = 0;

  std::int64_t all() const { return above + units + below; }
  friend bool operator==(const Band&, const Band&) = default;
};

/// Returns `count` bands that have every unit once, as equal as whole units allow.
/// \throws Unsupported  there are fewer units
std::vector<Band> bands_of(const ladders::Division& division, int count);

/// A band as a problem, and the place of its memory in the whole problem's.
struct BandProblem {
  /// Bytes of an operand, with their offsets in the whole problem's memory and in the band's. An
  /// input has all bytes that the band needs, an output only those that belong to the band.
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
