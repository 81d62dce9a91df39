#pragma once

// Internal to the emulator: access to an operation's operands, for handlers.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

template <class T>
const T* source(const Warp& warp, std::int32_t operand) {
  const std::byte* base = operand >= 0 ? warp.registers + operand : warp.constants + ~operand;
  return reinterpret_cast<const T*>(base);
}

template <class T>
T* destination(const Warp& warp, std::int32_t operand) {
  return reinterpret_cast<T*>(warp.registers + operand);
}

/// Writes a result to the active lanes. It may overwrite exited lanes, whose values are never read.
template <class S>
void write_lanes(const Warp& warp, std::int32_t operand, const S* out) {
  S* to = destination<S>(warp, operand);
  if (warp.whole) {
    std::memcpy(to, out, sizeof(S) * warp_lanes);
  } else {
    for (int i = 0; i < warp_lanes; ++i) to[i] = (warp.active >> i & 1) != 0 ? out[i] : to[i];
  }
}

/// Returns the lanes where a predicate is true, or, if `negated`, the lanes where it is false.
inline Mask predicate(const Warp& warp, std::int32_t operand, bool negated = false) {
  const Mask lanes = *source<Mask>(warp, operand);
  return negated ? ~lanes : lanes;
}

inline void set_predicate(Warp& warp, std::int32_t operand, Mask value) {
  Mask& mask = *destination<Mask>(warp, operand);
  mask = (mask & ~warp.active) | (value & warp.active);
}

/// Combines the lanes of a comparison with predicate c, if the comparison has this operand.
inline Mask combined(const Warp& warp, const Operation& op, Mask compared) {
  const Combination how = flags_of<CompareFlags>(op).combination;
  if (how == Combination::none) return compared;
  const Mask c = predicate(warp, op.c, op.c_negated);
  return how == Combination::with_and  ? compared & c
         : how == Combination::with_or ? compared | c
                                       : compared ^ c;
}

/// Returns the operation's entries in Code::lists.
inline const std::int32_t* list_of(const Warp& warp, const Operation& op) {
  return warp.worker->code->lists.data() + op.list;
}

/// Returns the lanes that execute an operation such as shfl.sync: the active lanes in its member
/// mask.
inline Mask members(const Warp& warp, std::int32_t operand) {
  const auto* mask = source<std::uint32_t>(warp, operand);
  return warp.active != 0 ? mask[std::countr_zero(warp.active)] & warp.active : 0;
}

/// Calls body(lanes, mask) for each distinct member mask and the lanes of `lanes` that state it.
template <class Body>
void for_each_member_mask(const Warp& warp, const Operation& op, Mask lanes, const Body& body) {
  const auto* masks = source<std::uint32_t>(warp, op.members);
  for (Mask left = lanes; left != 0;) {
    const Mask mask = masks[std::countr_zero(left)];
    Mask same = 0;
    for (int i = 0; i < warp_lanes; ++i) same |= static_cast<Mask>(masks[i] == mask) << i;
    same &= left;
    left &= ~same;
    body(same, mask);
  }
}

/// Runs a body with the active lanes limited to `lanes`.
template <class Body>
void with_lanes(Warp& warp, Mask lanes, const Body& body) {
  const Mask active = warp.active;
  const bool whole = warp.whole;
  if (lanes != active) {
    warp.active = lanes;
    warp.whole = (lanes & warp.live) == warp.live;
  }
  body();
  warp.active = active;
  warp.whole = whole;
}

}  // namespace warpwise::emulator
