#pragma once

#include <array>
#include <string_view>

namespace warpwise::lab {

/// Number of figures, the first in figure_names, that only a GPU gives: times, and figures computed
/// from times.
inline constexpr std::size_t timed_figures = 4;
/// Times for which an experiment can ask for a knee.
inline constexpr std::array<std::string_view, 2> knee_times = {"cold_us", "batch_us"};
/// Names of all figures. A study's "report" may name any. CSV reports have a column for each.
inline constexpr auto figure_names =
    std::to_array<std::string_view>({"cold_us",
                                     "batch_us",
                                     "gb_per_s",
                                     "share_of_roof",  //
                                     "registers",
                                     "spill_bytes",
                                     "occupancy",  //
                                     "warp_instructions",
                                     "active_lanes",
                                     "branches",
                                     "divergent_branches",
                                     "barriers",
                                     "references_per_pixel",
                                     "transactions_per_request",
                                     "bytes_moved_per_pixel",
                                     "shared_passes_per_request",
                                     "executed_threads",
                                     "idle_threads",
                                     "thread_efficiency_percent",
                                     "load_transactions_per_request",  //
                                     "global_load_requests",
                                     "global_load_32",
                                     "global_load_64",
                                     "global_load_128",
                                     "global_store_requests",
                                     "global_store_32",
                                     "global_store_64",
                                     "global_store_128",
                                     "shared_load_requests",
                                     "shared_load_passes",
                                     "shared_store_requests",
                                     "shared_store_passes",  //
                                     "ldg_32",
                                     "ldg_64",
                                     "ldg_128",
                                     "stg_32",
                                     "stg_64",
                                     "stg_128"});

/// Figures that can be found only with a disassembler.
inline constexpr auto disassembled_figures =
    std::to_array<std::string_view>({"ldg_32", "ldg_64", "ldg_128", "stg_32", "stg_64", "stg_128"});

}  // namespace warpwise::lab
