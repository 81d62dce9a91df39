#pragma once

// Internal to the emulator: the groups of lanes that a diverged warp consists of.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {

inline constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

/// Returns true if group `a` runs before group `b`. Deeper calls run first, so that lanes which
/// called different functions converge after the call.
inline bool goes_before(const Group& a, const Group& b) {
  return a.depth != b.depth ? a.depth > b.depth : a.pc < b.pc;
}

/// Joins groups that are at one operation and at one call depth. Returns the index of the ready
/// group that runs first and has not yielded; -1: none.
inline int pick(Warp& warp) {
  auto& groups = warp.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state == Group::State::barrier) continue;
    for (std::size_t k = i + 1; k < groups.size();) {
      if (groups[k].state != Group::State::barrier && groups[k].pc == groups[i].pc &&
          groups[k].depth == groups[i].depth) {
        groups[i].mask |= groups[k].mask;
        groups[i].state = Group::State::ready;  // converge() looks again for missing lanes
        groups[i].yielded = groups[i].yielded && groups[k].yielded;
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        ++k;
      }
    }
  }
  int best = -1;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state != Group::State::ready || groups[i].yielded) continue;
    if (best < 0 || goes_before(groups[i], groups[static_cast<std::size_t>(best)]))
      best = static_cast<int>(i);
  }
  return best;
}

/// Returns the lowest program counter beyond pc at which another group may join the current one, or
/// no_limit.
inline std::uint32_t next_meeting(const Warp& warp, std::size_t current, std::uint32_t pc) {
  std::uint32_t limit = no_limit;
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    const Group& group = warp.groups[i];
    if (i != current && group.state != Group::State::barrier && group.pc > pc &&
        group.depth == warp.groups[current].depth) {
      limit = std::min(limit, group.pc);
    }
  }
  return limit;
}

/// Returns the live lanes in a `.sync` operation's member masks that have not arrived.
inline Mask missing_members(const Warp& warp, const Operation& op, Mask lanes) {
  const auto* masks = source<std::uint32_t>(warp, op.members);
  Mask members = 0;
  for (int i = 0; i < warp_lanes; ++i) members |= (lanes >> i & 1) != 0 ? masks[i] : 0;
  return members & warp.live & ~lanes;
}

}  // namespace warpwise::emulator
