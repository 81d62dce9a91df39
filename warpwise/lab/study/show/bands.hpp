#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/lab/study/table/study_table.hpp"

// Cuts a problem into bands of rows. Each band is a problem of its own, so that the transfer of one
// band can overlap the computation of another.
namespace warpwise::lab {

/// A band, in units of a ladders::Division (groups of rows that are never cut). The band's results
/// depend on some units above and below it. They are transferred and computed with the band, but
/// their results belong to the neighbouring bands.
struct Band {
  std::int64_t first = 0;
  std::int64_t units = 0;
  std::int64_t above = 0;
  std::int64_t below = 0;

  std::int64_t all() const { return above + units + below; }
  friend bool operator==(const Band&, const Band&) = default;
};

/// Returns `count` bands. Each unit belongs to one band, and the bands' sizes differ by at most one
/// unit.
/// \throws Unsupported  there are fewer units than bands
std::vector<Band> bands_of(const ladders::Division& division, int count);

/// A band as a problem, and the places of its operands in the memory of the whole problem.
struct BandProblem {
  /// A range of bytes of an operand, in the whole problem's memory and in the band's memory. For an
  /// input it has all bytes that the band needs. For an output it has only the bytes that belong to
  /// the band.
  struct Slice {
    std::int64_t in_whole = 0;
    std::int64_t in_band = 0;
    std::int64_t bytes = 0;
  };

  ladders::Problem problem;   ///< the contents of its operands are undefined
  std::vector<Slice> slices;  ///< one for each operand
};

/// Cuts a problem into bands.
/// \param whole       problem without gaps between its rows
/// \param parameters  the parameters of `whole`
/// \throws Unsupported  the problem cannot be divided in this way, with the reason
std::vector<BandProblem> band_problems(const ladders::Ladder& ladder, const ladders::Problem& whole,
                                       const ladders::Variables& parameters, int count);

}  // namespace warpwise::lab
