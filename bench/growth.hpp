#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/gpu_harness.hpp"
#include "warpwise/lab/plot/plot.hpp"

// Growth of cost: the main case of each primitive and of chain, from sizes that L2 holds many times
// over to gigabytes.
namespace warpwise::bench {

inline constexpr int least_growth_bits = 16;     ///< log2 of the bytes that a case moves: 64 KiB
inline constexpr int greatest_growth_bits = 32;  ///< 4 GiB

/// Returns cases and peers at each power of four between these sizes, by primitive and size. Empty
/// without CUDA.
std::vector<Case> growth_cases();

/// Plots GB/s over bytes, one panel for each primitive, from a report whose "growth" is true.
/// \throws InvalidArgument  `report` is no such report
lab::Plot growth_plot(const nlohmann::json& report);

}  // namespace warpwise::bench
