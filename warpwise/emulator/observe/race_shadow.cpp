#include "warpwise/emulator/observe/race_shadow.hpp"

#include <bit>

namespace warpwise::emulator {

int Touch::lane_of(int byte) const {
  const int lane = static_cast<int>(bits >> lane_at & 31);
  const int behind = byte - std::countr_zero(mask());
  switch (layout()) {
    case one_lane: return lane;
    case lane_of_two: return lane + behind / 2;
    case lane_of_each: return lane + behind;
    default: return -1;
  }
}

Touch merged(Touch old, Touch now) {
  constexpr std::uint64_t who = Touch::lane_bits | Touch::layout_bits;
  if (now.mask() == old.mask()) {
    if (((old.bits ^ now.bits) & who) != 0 && old.layout() == now.layout())
      now.bits |= Touch::several;
    return {now.bits | (old.bits & (Touch::others | Touch::several))};
  }
  if ((now.mask() & old.mask()) == now.mask() && old.is(Touch::several)) return old;
  if ((now.mask() & old.mask()) == old.mask()) return now;
  const bool of_one_lane = ((old.bits ^ now.bits) & who) == 0 && now.layout() == Touch::one_lane &&
                           !old.is(Touch::several) && !now.is(Touch::several);
  now.bits |= old.bits & (Touch::mask_bits | Touch::others);
  if (of_one_lane) return now;
  now.bits = (now.bits & ~Touch::several) | Touch::layout_part(Touch::mixed_lanes);
  return now;
}

bool are_of_different_lanes(Touch old, Touch now, bool reads) {
  // The current lane may be one of several that wrote the same bytes.
  if (old.is(Touch::several)) return reads;
  if (now.is(Touch::several)) return true;
  for (unsigned common = old.mask() & now.mask(); common != 0; common &= common - 1) {
    const int byte = std::countr_zero(common);
    const int first = old.lane_of(byte);
    const int second = now.lane_of(byte);
    if (first >= 0 && second >= 0 && first != second) return true;
  }
  return false;
}

}  // namespace warpwise::emulator
