#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/gpu_harness.hpp"
#include "warpwise/lab/plot/plot.hpp"

// How cost grows: the main case of each primitive and of chain, from what L2 holds many times over
// to gigabytes.
namespace warpwise::bench {

inline constexpr int least_growth_bits = 16;     ///< of the bytes that a case moves: 64 KiB
inline constexpr int greatest_growth_bits = 32;  ///< 4 GiB

/// Cases and peers at each power of four between those, by primitive and size. None without CUDA.
std::vector<Case> growth_cases();

/// GB/s over bytes, a panel a primitive, of a report whose "growth" is true.
/// \throws InvalidArgument  it is no such report
lab::Plot growth_plot(const nlohmann::json& report);

}  // namespace warpwise::bench
