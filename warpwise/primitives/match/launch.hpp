#pragma once

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/match/arguments.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise::detail::match {

/// The template argument of match_kernel.
struct MatchKernel {
  Measure measure;
};
constexpr const char* kernel_name(MatchKernel) { return "match_kernel"; }

/// How match_kernel is launched.
///
/// \param images   where the images lie, their pitches, and the size of the two that are compared
/// \param options  with resolved strides
/// \throws InvalidArgument  more blocks in a row than a GPU grid takes
gpu::Launch<MatchKernel> match_launch(const kernels::match::MatchArguments& images, MatchGrid grid,
                                      const MatchOptions& options);

}  // namespace warpwise::detail::match
