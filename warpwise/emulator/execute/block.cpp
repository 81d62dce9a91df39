#include "warpwise/emulator/execute/block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "warpwise/emulator/execute/shadow.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

/// Returns lane i's value of a special register in warp `index`. Values that differ between blocks
/// are 0 here; set_specials() sets them.
std::uint32_t special_value(Special which, const Launch& launch, std::uint32_t index,
                            std::uint32_t i) {
  const std::uint32_t thread = index * warp_lanes + i;
  const std::uint32_t bit = 1U << i;
  switch (which) {
    case Special::tid_x: return thread % launch.block.x;
    case Special::tid_y: return thread / launch.block.x % launch.block.y;
    case Special::tid_z: return thread / launch.block.x / launch.block.y;
    case Special::ntid_x: return launch.block.x;
    case Special::ntid_y: return launch.block.y;
    case Special::ntid_z: return launch.block.z;
    case Special::nctaid_x: return launch.grid.x;
    case Special::nctaid_y: return launch.grid.y;
    case Special::nctaid_z: return launch.grid.z;
    case Special::laneid: return i;
    case Special::warpid: return index;
    case Special::nwarpid:
      return static_cast<std::uint32_t>((launch.block.count() + warp_lanes - 1) / warp_lanes);
    case Special::nsmid: return 1;
    case Special::gridid: return 1;
    case Special::lanemask_eq: return bit;
    case Special::lanemask_lt: return bit - 1;
    case Special::lanemask_le: return bit | (bit - 1);
    case Special::lanemask_gt: return ~(bit | (bit - 1));
    case Special::lanemask_ge: return ~(bit - 1);
    case Special::dynamic_smem_size: return static_cast<std::uint32_t>(launch.dynamic_shared_bytes);
    case Special::total_smem_size:
      return static_cast<std::uint32_t>(launch.code->without_gaps(launch.shared_bytes) -
                                        launch.code->reserved_shared);
    case Special::grid_workspace_low: return static_cast<std::uint32_t>(launch.grid_workspace);
    case Special::grid_workspace_high:
      return static_cast<std::uint32_t>(launch.grid_workspace >> 32);
    case Special::cluster_nctaid_x: return launch.cluster.x;
    case Special::cluster_nctaid_y: return launch.cluster.y;
    case Special::cluster_nctaid_z: return launch.cluster.z;
    case Special::nclusterid_x: return launch.grid.x / launch.cluster.x;
    case Special::nclusterid_y: return launch.grid.y / launch.cluster.y;
    case Special::nclusterid_z: return launch.grid.z / launch.cluster.z;
    case Special::cluster_nctarank: return static_cast<std::uint32_t>(launch.cluster.count());
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::cluster_ctaid_x:
    case Special::cluster_ctaid_y:
    case Special::cluster_ctaid_z:
    case Special::clusterid_x:
    case Special::clusterid_y:
    case Special::clusterid_z:
    case Special::cluster_ctarank:
    case Special::is_explicit_cluster:
    case Special::smid:
    case Special::zero: return 0;
  }
  return 0;
}

constexpr std::size_t special_bytes = sizeof(std::uint32_t) * warp_lanes;

/// Computes the special registers that have the same values in all blocks of a launch. Called once
/// for a Block, which then runs many blocks. Computing the values for each block would slow down
/// kernels whose blocks execute only a few instructions.
void compute_specials(Block& block, const Launch& launch) {
  const auto& specials = launch.code->specials;
  block.specials = AlignedBytes(special_bytes * specials.size() * block.warps.size());
  auto* to = reinterpret_cast<std::uint32_t*>(block.specials.data());
  for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
    for (const auto& special : specials) {
      for (std::uint32_t i = 0; i < warp_lanes; ++i)
        *to++ = special_value(special.which, launch, w, i);
    }
  }
}

void set_specials(Warp& warp, const Code& code) {
  const Block& block = *warp.block;
  const Launch& launch = *warp.worker->launch;
  const Dim3& cluster = launch.cluster;
  const std::byte* from = block.specials.data() + special_bytes * code.specials.size() * warp.index;
  for (const auto& special : code.specials) {
    auto* lanes = destination<std::uint32_t>(warp, special.slot);
    switch (special.which) {
      case Special::ctaid_x: std::fill_n(lanes, warp_lanes, block.index.x); break;
      case Special::ctaid_y: std::fill_n(lanes, warp_lanes, block.index.y); break;
      case Special::ctaid_z: std::fill_n(lanes, warp_lanes, block.index.z); break;
      case Special::cluster_ctaid_x:
        std::fill_n(lanes, warp_lanes, block.index.x % cluster.x);
        break;
      case Special::cluster_ctaid_y:
        std::fill_n(lanes, warp_lanes, block.index.y % cluster.y);
        break;
      case Special::cluster_ctaid_z:
        std::fill_n(lanes, warp_lanes, block.index.z % cluster.z);
        break;
      case Special::clusterid_x: std::fill_n(lanes, warp_lanes, block.index.x / cluster.x); break;
      case Special::clusterid_y: std::fill_n(lanes, warp_lanes, block.index.y / cluster.y); break;
      case Special::clusterid_z: std::fill_n(lanes, warp_lanes, block.index.z / cluster.z); break;
      case Special::cluster_ctarank: std::fill_n(lanes, warp_lanes, block.rank); break;
      case Special::is_explicit_cluster: *lanes = launch.explicit_cluster ? all_lanes : 0; break;
      default: std::memcpy(lanes, from, special_bytes);
    }
    from += special_bytes;
  }
}

/// Zeroes the kernel's own local memory. clear_local() zeroes the stack before its first use, since
/// most of a stack stays empty.
void clear_stacks(Block& block, const Launch& launch) {
  std::byte* own = block.local.data();
  for (CallStack& stack : block.stacks) {
    for (int i = 0; i < warp_lanes; ++i, own += launch.local_bytes)
      std::memset(own, 0, launch.code->local_bytes);
    stack.unused.resize(stack.calls.size());
    std::iota(stack.unused.begin(), stack.unused.end(), 0);
    stack.current.fill(-1);
    stack.base.fill(0);
    stack.top.fill(launch.code->local_bytes);
    stack.cleared = launch.code->local_bytes;
  }
}

/// Marks shared and local memory as unwritten, in the shadows that record undefined bytes for
/// Check::init. start_block() resets the shadow of each warp's registers.
void start_shadows(Block& block, const Launch& launch) {
  if (block.register_shadow.size() == 0) {
    block.register_shadow = AlignedBytes(shadow_bytes(*launch.code) * block.warps.size());
    block.shared_shadow = AlignedBytes(block.shared.size());
    block.local_shadow = AlignedBytes(block.local.size());
    std::memset(block.register_shadow.data(), 0, block.register_shadow.size());
  }
  std::memset(block.shared_shadow.data(), unwritten, block.shared_shadow.size());
  // Reserved shared memory counts as written with zeros, because CUDA's headers use it for barriers
  // without initialising it.
  const Code& code = *launch.code;
  std::memset(block.shared_shadow.data() + code.reserved_shared_at, 0, code.reserved_shared);
  if (block.stacks.empty()) {
    std::memset(block.local_shadow.data(), unwritten, block.local_shadow.size());
    return;
  }
  for (std::size_t i = 0; i < block.stacks.size() * warp_lanes; ++i) {
    std::memset(block.local_shadow.data() + i * launch.local_bytes, unwritten,
                launch.code->local_bytes);
  }
}

void start_shadow(Warp& warp, const Code& code) {
  const std::size_t bytes = shadow_bytes(code);
  warp.shadow = warp.block->register_shadow.data() + bytes * warp.index;
  for (const RegisterPlace& place : code.unset) set_shadow(warp, place, all_lanes, unset);
}

}  // namespace

void start_block(Block& block, Worker& worker, std::uint64_t linear) {
  const Launch& launch = *worker.launch;
  const Code& code = *launch.code;
  const auto threads = static_cast<std::uint32_t>(launch.block.count());
  const std::uint32_t warps = (threads + warp_lanes - 1) / warp_lanes;
  if (block.warps.empty()) {
    block.warps.resize(warps);
    block.registers = AlignedBytes(code.register_bytes * warps);
    block.shared = AlignedBytes(launch.shared_bytes);
    block.local = AlignedBytes(launch.local_bytes * warps * warp_lanes);
    if (code.uses_stack) block.stacks.resize(warps);
    compute_specials(block, launch);
  }
  // Registers keep their values of an earlier block, as on a GPU.
  std::memset(block.shared.data(), 0, block.shared.size());
  if (!code.uses_stack) {
    std::memset(block.local.data(), 0, block.local.size());
  } else {
    clear_stacks(block, launch);
  }
  const bool has_shadow = launch.checks.has(Check::init);
  if (has_shadow) start_shadows(block, launch);
  block.is_stuck = false;
  block.repeats = 0;
  block.linear = linear;
  block.index = place_in(linear, launch.grid);
  block.live = threads;
  block.barriers = {};
  block.exits.clear();
  block.state_is_known = false;
  for (std::uint32_t w = 0; w < warps; ++w) {
    Warp& warp = block.warps[w];
    const std::uint32_t first = w * warp_lanes;
    const std::uint32_t lanes = std::min<std::uint32_t>(warp_lanes, threads - first);
    if (warp.poisoned != 0) std::memset(warp.shadow, 0, shadow_bytes(code));
    std::vector<Group> groups = std::move(warp.groups);
    warp = Warp{};
    groups.clear();
    warp.groups = std::move(groups);
    warp.live = lanes == warp_lanes ? all_lanes : (Mask{1} << lanes) - 1;
    warp.registers = block.registers.data() + code.register_bytes * w;
    warp.constants = launch.constants.data();
    warp.index = w;
    warp.block = &block;
    warp.worker = &worker;
    warp.groups.push_back({0, warp.live, Group::State::ready, false, 0, 0});
    set_specials(warp, code);
    if (has_shadow) start_shadow(warp, code);
  }
}

}  // namespace warpwise::emulator
