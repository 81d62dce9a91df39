#pragma once

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/match/arguments.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise::detail::match {

/// A kernel and its template argument.
struct MatchKernel {
  enum Way {
    sums,            ///< match_kernel
    tall,            ///< match_tall_kernel, for sad
    rejecting,       ///< match_rejecting_kernel, for sad
    rejecting_tall,  ///< match_rejecting_tall_kernel, for sad
    products,        ///< match_products_kernel, not for sad
  };
  Measure measure;
  Way way = sums;
};
constexpr const char* kernel_name(MatchKernel kernel) {
  switch (kernel.way) {
    case MatchKernel::sums: return "match_kernel";
    case MatchKernel::tall: return "match_tall_kernel";
    case MatchKernel::rejecting: return "match_rejecting_kernel";
    case MatchKernel::rejecting_tall: return "match_rejecting_tall_kernel";
    case MatchKernel::products: return "match_products_kernel";
  }
  __builtin_unreachable();
}

/// Returns the launch of match's kernel.
///
/// \param images   addresses and pitches of the images, and the size of the two that are compared
/// \param options  with resolved strides
/// \throws InvalidArgument  more blocks in a row than a GPU grid takes
gpu::Launch<MatchKernel> match_launch(const kernels::match::MatchArguments& images, MatchGrid grid,
                                      const MatchOptions& options);

}  // namespace warpwise::detail::match
