#pragma once

#include <cstdint>

#include "warpwise/primitives/match/arguments.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise::detail {

struct MatchLaunch {
  kernels::MatchArguments arguments;
  unsigned grid_x;
  unsigned grid_y;
  unsigned threads;  ///< of a thread block
  std::int64_t shared_bytes;
};

/// How match_kernel is launched.
///
/// \param images   where the images lie, their pitches, and the size of the two that are compared
/// \param options  with resolved strides
/// \throws InvalidArgument  more blocks in a row than a GPU grid takes
MatchLaunch match_launch(const kernels::MatchArguments& images, MatchGrid grid,
                         const MatchOptions& options);

}  // namespace warpwise::detail
