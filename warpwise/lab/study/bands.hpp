#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/lab/study/study_table.hpp"

// A problem cut into bands of rows, each a problem of its own, so that their transfers overlap.
namespace warpwise::lab {

/// Units of a ladders::Division. What lies above and below is needed for the results of the band,
/// and computed with it, but belongs to its neighbours.
struct Band {
  std::int64_t first = 0;
  std::int64_t units = 0;
  std::int64_t above = 0;
  std::int64_t below = 0;

  std::int64_t all() const { return above + units + below; }
  friend bool operator==(const Band&, const Band&) = default;
};

/// `count` bands, as equal as whole units allow, that have every unit once.
/// \throws Unsupported  there are fewer units
std::vector<Band> bands_of(const ladders::Division& division, int count);

/// A band as a problem, and where its memory lies in that of the whole one.
struct BandProblem {
  /// So many bytes of an operand, from one place in the whole problem's memory and from another in
  /// the band's. An input's are all that the band has of it, an output's those that belong to the
  /// band.
  struct Slice {
    std::int64_t in_whole = 0;
    std::int64_t in_band = 0;
    std::int64_t bytes = 0;
  };

  ladders::Problem problem;   ///< its operands hold anything
  std::vector<Slice> slices;  ///< of each operand
};

/// \param whole  with rows that lie without gaps  \param parameters  that it was made with
/// \throws Unsupported  with the reason: it does not divide so
std::vector<BandProblem> band_problems(const ladders::Ladder& ladder, const ladders::Problem& whole,
                                       const ladders::Variables& parameters, int count);

}  // namespace warpwise::lab
