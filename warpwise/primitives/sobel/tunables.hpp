#pragma once

#include "warpwise/primitives/shared/tuning.hpp"

// sobel's launch parameters that `warpwise tune` chooses.
namespace warpwise::detail::sobel {

/// In the order of SobelSource.
inline constexpr std::string_view kinds[] = {"u8", "rgb", "rgba", "u16", "f32"};
inline constexpr int block_height_choices[] = {4, 2, 1};
inline constexpr tuning::Tunable block_height_tunable{"sobel", "block_height", "warps of a block",
                                                      kinds, block_height_choices};

inline constexpr const tuning::Tunable* tunables[] = {&block_height_tunable};

}  // namespace warpwise::detail::sobel
