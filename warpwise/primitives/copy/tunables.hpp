#pragma once

#include "warpwise/primitives/shared/tuning.hpp"

// Parameters of copy's launch that `warpwise tune` may choose.
namespace warpwise::detail::copy {

inline constexpr int block_thread_choices[] = {0, 128, 256, 512, 1024};
inline constexpr tuning::Tunable block_threads_tunable{
    "copy", "block_threads", "threads of a block that copies vectors; 0: chosen by the size",
    tuning::one_kind, block_thread_choices};

inline constexpr const tuning::Tunable* tunables[] = {&block_threads_tunable};

}  // namespace warpwise::detail::copy
