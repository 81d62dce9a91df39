#pragma once

#include "warpwise/primitives/shared/tuning.hpp"

// convert's launch parameters that `warpwise tune` chooses.
namespace warpwise::detail::convert {

/// In the order of ConvertSource.
inline constexpr std::string_view kinds[] = {"gray",      "packed3",       "packed4",
                                             "packed422", "semiplanar420", "planar420"};
inline constexpr int block_height_choices[] = {4, 2, 1};
inline constexpr tuning::Tunable block_height_tunable{"convert", "block_height", "warps of a block",
                                                      kinds, block_height_choices};

inline constexpr const tuning::Tunable* tunables[] = {&block_height_tunable};

}  // namespace warpwise::detail::convert
