#pragma once

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/match/arguments.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise::detail::match {

/// A kernel and its template argument.
struct MatchKernel {
  Measure measure;
  bool by_products = false;  ///< match_products_kernel, not for sad
};
constexpr const char* kernel_name(MatchKernel kernel) {
  return kernel.by_products ? "match_products_kernel" : "match_kernel";
}

/// How match's kernel is launched.
///
/// \param images   where the images lie, their pitches, and the size of the two that are compared
/// \param options  with resolved strides
/// \throws InvalidArgument  more blocks in a row than a GPU grid takes
gpu::Launch<MatchKernel> match_launch(const kernels::match::MatchArguments& images, MatchGrid grid,
                                      const MatchOptions& options);

}  // namespace warpwise::detail::match
