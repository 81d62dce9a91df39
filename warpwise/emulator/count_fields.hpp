#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "warpwise/emulator/emulator.hpp"

// Visits the counts of a launch by name, for code that treats all of them alike.
namespace warpwise::emulator {

template <class Counts>
using CountField = std::pair<const char*, std::uint64_t Counts::*>;

inline auto fields_of(const ExecutionCounts&) {
  using C = ExecutionCounts;
  return std::to_array<CountField<C>>({{"warp_instructions", &C::warp_instructions},
                                       {"thread_instructions", &C::thread_instructions},
                                       {"branches", &C::branches},
                                       {"divergent_branches", &C::divergent_branches},
                                       {"barriers", &C::barriers},
                                       {"float32_operations", &C::float32_operations},
                                       {"float64_operations", &C::float64_operations}});
}
inline auto fields_of(const TrafficCounts&) {
  using C = TrafficCounts;
  return std::to_array<CountField<C>>({{"requests", &C::requests},
                                       {"references", &C::references},
                                       {"transactions_32", &C::transactions_32},
                                       {"transactions_64", &C::transactions_64},
                                       {"transactions_128", &C::transactions_128},
                                       {"bytes_requested", &C::bytes_requested},
                                       {"bytes_moved", &C::bytes_moved},
                                       {"ideal_transactions", &C::ideal_transactions}});
}
inline auto fields_of(const PassCounts&) {
  using C = PassCounts;
  return std::to_array<CountField<C>>(
      {{"requests", &C::requests}, {"passes", &C::passes}, {"ideal_passes", &C::ideal_passes}});
}

inline auto fields_of(const PaceCounts&) {
  using C = PaceCounts;
  return std::to_array<CountField<C>>(
      {{"l2_read_sectors", &C::l2_read_sectors},
       {"l2_written_sectors", &C::l2_written_sectors},
       {"distinct_read_sectors", &C::distinct_read_sectors},
       {"common_read_sectors", &C::common_read_sectors},
       {"common_read_lines", &C::common_read_lines},
       {"common_lines", &C::common_lines},
       {"texture_sectors", &C::texture_sectors},
       {"texture_lines", &C::texture_lines},
       {"shared_read_sectors", &C::shared_read_sectors},
       {"repeated_read_sectors", &C::repeated_read_sectors},
       {"block_read_sectors", &C::block_read_sectors},
       {"dram_written_sectors", &C::dram_written_sectors},
       {"dram_filled_sectors", &C::dram_filled_sectors},
       {"dram_partly_written_sectors", &C::dram_partly_written_sectors},
       {"l1_passes", &C::l1_passes},
       {"l2_read_lines", &C::l2_read_lines},
       {"l2_written_lines", &C::l2_written_lines},
       {"shared_loads", &C::shared_loads},
       {"shared_load_bytes", &C::shared_load_bytes},
       {"joined_loads", &C::joined_loads},
       {"joined_passes", &C::joined_passes},
       {"shared_atomic_passes", &C::shared_atomic_passes},
       {"texture_line_tiles", &C::texture_line_tiles},
       {"texture_plane_tiles", &C::texture_plane_tiles},
       {"atomic_sectors", &C::atomic_sectors},
       {"swaps", &C::swaps},
       {"made_swaps", &C::made_swaps},
       {"made_swap_pairs", &C::made_swap_pairs},
       {"atomic_cycles_of_busiest_place", &C::atomic_cycles_of_busiest_place},
       {"atomic_cycles_of_neighbours", &C::atomic_cycles_of_neighbours}});
}

/// Calls visit(name, field...) for each kind of access except textures. With two `counts` a and b,
/// the first call is visit("global_load", a.global_load, b.global_load).
template <class Visit, class... Memory>
void visit_memory(const Visit& visit, Memory&... counts) {
  visit("global_load", counts.global_load...);
  visit("global_store", counts.global_store...);
  visit("global_atomic", counts.global_atomic...);
  visit("local_load", counts.local_load...);
  visit("local_store", counts.local_store...);
  visit("shared_load", counts.shared_load...);
  visit("shared_store", counts.shared_store...);
  visit("shared_atomic", counts.shared_atomic...);
  visit("constant", counts.constant...);
}

}  // namespace warpwise::emulator
