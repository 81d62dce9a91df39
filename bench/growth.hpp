#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/gpu_harness.hpp"
#include "warpwise/lab/plot/plot.hpp"

// Measures how times grow with the size: the main case of each primitive and of chain, from 64 KiB,
// which fits into L2, to 4 GiB.
namespace warpwise::bench {

inline constexpr int least_growth_bits = 16;     ///< log2 of the bytes that a case moves: 64 KiB
inline constexpr int greatest_growth_bits = 32;  ///< 4 GiB

/// Returns each primitive's main case and its peers at 2^16, 2^18, … 2^32 bytes, ordered by
/// primitive, then by size. Empty without CUDA.
std::vector<Case> growth_cases();

/// Plots GB/s over bytes, one panel for each primitive, from a report whose "growth" is true.
/// \throws InvalidArgument  `report` is not a report of `bench --growth`
lab::Plot growth_plot(const nlohmann::json& report);

}  // namespace warpwise::bench
