#pragma once

// Internal to the emulator: the shadow of a warp's registers, for Check::init. The shadow has the
// layout of the registers. Each byte of a register has a shadow byte with one of the states in
// state.hpp. Each bit of a predicate has a shadow bit, which is set if the predicate's bit is
// undefined. Flags follow, one for every 4 bytes of registers: a flag is 1 if the register that
// begins at those bytes has an undefined lane.

#include <cstring>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Returns the stride in bytes between the lanes of a register. A predicate has none: it is one
/// mask for all lanes.
constexpr std::size_t lane_bytes(Width width) { return width == Width::w64 ? 8 : 4; }
/// Returns the number of bytes that hold a lane's value. A register of 16 bits uses half of its 4
/// bytes; the upper half is always 0.
constexpr std::size_t value_bytes(Width width) {
  return width == Width::w16 ? 2 : lane_bytes(width);
}
constexpr std::size_t place_bytes(Width width) {
  return width == Width::predicate ? sizeof(Mask) : lane_bytes(width) * warp_lanes;
}

inline std::size_t shadow_bytes(const Code& code) {
  return (code.register_bytes + code.register_bytes / 4 + 63) / 64 * 64;
}

inline std::uint8_t* shadow_at(const Warp& warp, RegisterPlace place) {
  return reinterpret_cast<std::uint8_t*>(warp.shadow) + place.offset;
}

inline std::uint8_t& poison_flag(const Warp& warp, RegisterPlace place) {
  const std::size_t flags = warp.worker->code->register_bytes;
  return reinterpret_cast<std::uint8_t*>(
      warp.shadow)[flags + static_cast<std::size_t>(place.offset) / 4];
}

/// Returns the lanes in which a register is undefined.
inline Mask undefined_lanes(const Warp& warp, RegisterPlace place) {
  if (poison_flag(warp, place) == 0) return 0;
  const std::uint8_t* at = shadow_at(warp, place);
  Mask lanes = 0;
  if (place.width == Width::predicate) {
    std::memcpy(&lanes, at, sizeof(lanes));
    return lanes;
  }
  const std::size_t step = lane_bytes(place.width);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint64_t own = 0;
    std::memcpy(&own, at + i * step, step);
    lanes |= static_cast<Mask>(own != 0) << i;
  }
  return lanes;
}

/// Updates a register's flag and Warp::poisoned from the register's shadow.
inline void count_poison(Warp& warp, RegisterPlace place) {
  const std::uint8_t* at = shadow_at(warp, place);
  std::uint64_t any = 0;
  if (place.width == Width::predicate) {
    std::memcpy(&any, at, sizeof(Mask));
  } else {
    for (std::size_t i = 0; i < place_bytes(place.width); i += sizeof(any)) {
      std::uint64_t some = 0;
      std::memcpy(&some, at + i, sizeof(some));
      any |= some;
    }
  }
  std::uint8_t& flag = poison_flag(warp, place);
  const std::uint8_t now = any != 0 ? 1 : 0;
  warp.poisoned = warp.poisoned + now - flag;
  flag = now;
}

/// Sets all bytes of a register in some lanes to a state; 0: defined. The upper half of a register
/// of 16 bits is defined, even if a wider register had the place before.
inline void set_shadow(Warp& warp, RegisterPlace place, Mask lanes, std::uint8_t state) {
  if (state == 0 && poison_flag(warp, place) == 0) return;
  std::uint8_t* at = shadow_at(warp, place);
  if (place.width == Width::predicate) {
    Mask mask = 0;
    std::memcpy(&mask, at, sizeof(mask));
    mask = state != 0 ? mask | lanes : mask & ~lanes;
    std::memcpy(at, &mask, sizeof(mask));
  } else {
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      std::uint8_t* const own = at + lane * lane_bytes(place.width);
      std::memset(own, 0, lane_bytes(place.width));
      std::memset(own, state, value_bytes(place.width));
    }
  }
  count_poison(warp, place);
}

}  // namespace warpwise::emulator
