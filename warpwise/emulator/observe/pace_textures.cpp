#include <algorithm>
#include <array>

#include "warpwise/emulator/observe/pace.hpp"

namespace warpwise::emulator {

void Pace::on_texture_read(Warp& warp, const Operation& op, const TextureRead& read) {
  if (read.texels == nullptr) return;
  // An H200 reads four lanes in a cycle, as results/nvidia-h200/prediction_sweeps.txt shows.
  constexpr std::size_t lanes_together = 4;
  constexpr Address plane_tile = 256;  // 32 bytes by 8 rows, in the order of an array's bytes
  const bool is_line = reads_line_[op.index];
  const Address tile_bytes = is_line ? line_bytes : plane_tile;
  Access access;
  access.addresses = read.texels;
  access.bytes = read.texel_bytes;
  for (std::size_t first = 0; first < warp_lanes; first += lanes_together) {
    std::array<Address, lanes_together> seen{};
    std::uint64_t tiles = 0, lanes = 0;
    for (std::size_t lane = first; lane < first + lanes_together; ++lane) {
      if ((read.lanes >> lane & 1) == 0) continue;
      ++lanes;
      if (read.texels[lane] == 0) continue;
      access.lanes |= Mask{1} << lane;
      const Address tile = read.texels[lane] / tile_bytes + 1;
      if (std::ranges::find(seen, tile) == seen.end()) seen[tiles++] = tile;
    }
    if (lanes == 0) continue;
    tiles = std::max<std::uint64_t>(tiles, 1);
    const std::uint64_t sectors =
        lanes * static_cast<std::uint64_t>(read.texel_bytes) / sector_bytes;
    if (is_line) counts_.texture_line_tiles += tiles;
    if (!is_line) counts_.texture_plane_tiles += std::max(1 + tiles, 2 * sectors);
  }
  if (access.lanes == 0) return;
  BlockClock& block = clock_of(*warp.block);
  WarpClock& clock = block.warps[warp.index];
  const std::uint64_t sectors_before = counts_.l2_read_sectors;
  const std::uint64_t lines_before = counts_.l2_read_lines;
  const double beyond_l1 = load(*warp.block, block, access) - model_.l1_cycles;
  counts_.texture_sectors += counts_.l2_read_sectors - sectors_before;
  counts_.texture_lines += counts_.l2_read_lines - lines_before;
  set_loaded(clock, op, model_.texture_cycles + beyond_l1);
}

}  // namespace warpwise::emulator
