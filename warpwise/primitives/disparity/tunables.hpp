#pragma once

#include "warpwise/primitives/shared/tuning.hpp"

// disparity's launch parameters that `warpwise tune` chooses.
namespace warpwise::detail::disparity {

/// Measures in the order of Measure, with ranges of one slice of displacements and of more.
inline constexpr std::string_view kinds[] = {"sad",      "ssd",      "ncc",      "zncc",
                                             "sad-wide", "ssd-wide", "ncc-wide", "zncc-wide"};
inline constexpr int warp_choices[] = {12, 8, 16};
inline constexpr tuning::Tunable warps_tunable{
    "disparity", "warps", "warps of a multiprocessor, if their sums fit", kinds, warp_choices};
inline constexpr int strip_percent_choices[] = {100, 50, 25, 200};
inline constexpr tuning::Tunable strip_percent_tunable{
    "disparity", "strip_percent", "rows of a strip, as a percentage of the rule's number", kinds,
    strip_percent_choices};

inline constexpr const tuning::Tunable* tunables[] = {&warps_tunable, &strip_percent_tunable};

}  // namespace warpwise::detail::disparity
