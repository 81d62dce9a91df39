#pragma once

#include <array>
#include <string_view>

namespace warpwise::lab {

/// What a study's "report" may name: figures of a row of a run, by the names that the JSON report
/// gives them. The first so many are of a GPU's times.
inline constexpr std::size_t timed_figures = 4;
inline constexpr std::array<std::string_view, 28> figure_names = {"cold_us",
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
                                                                  "shared_passes_per_request",  //
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
                                                                  "shared_store_passes"};

}  // namespace warpwise::lab
