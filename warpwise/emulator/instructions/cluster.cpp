#include "warpwise/emulator/instructions/cluster.hpp"

#include <algorithm>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

// Largest rank that a 32-bit address has room for. No cluster has that many blocks.
constexpr std::uint64_t most_rank = 254;

template <class T>
void map_address(Warp& warp, const Operation& op) {
  const T* a = source<T>(warp, op.a);
  const auto* rank = source<std::uint32_t>(warp, op.b);
  alignas(64) T out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const std::uint64_t address = a[i];
    const std::uint64_t window = address & ~(window_bytes - 1);  // 0 unless the address is generic
    const std::uint64_t of_block = std::min<std::uint64_t>(rank[i], most_rank) + 1;
    out[i] = static_cast<T>(window + of_block * block_window_bytes + address % block_window_bytes);
  }
  write_lanes(warp, op.dst, out);
}

template <class T>
void rank_of_address(Warp& warp, const Operation& op) {
  const T* a = source<T>(warp, op.a);
  alignas(64) std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const std::uint64_t window = block_window(std::uint64_t{a[i]} & (window_bytes - 1));
    out[i] = window == 0 ? warp.block->rank : static_cast<std::uint32_t>(window - 1);
  }
  write_lanes(warp, op.dst, out);
}

}  // namespace

Handler map_address_handler(Width width) {
  return width == Width::w64 ? map_address<std::uint64_t> : map_address<std::uint32_t>;
}

Handler rank_of_address_handler(Width width) {
  return width == Width::w64 ? rank_of_address<std::uint64_t> : rank_of_address<std::uint32_t>;
}

}  // namespace warpwise::emulator
