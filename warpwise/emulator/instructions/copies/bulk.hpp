#pragma once

// Internal to the emulator: common parts of bulk copies. One lane starts a copy. The copied range
// is divided into pieces. One request accesses 32 pieces, as if each piece belonged to a lane.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/mbarrier_object.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator::bulk {

inline constexpr std::uint64_t unit = 16;  // sizes and most addresses are multiples of 16

/// Pieces of one lane's copy. They have the same size and lie in one memory space.
struct Pieces {
  int lane = 0;
  Asynchronous ends_by = Asynchronous::none;
  Space space = Space::shared;
  AccessKind kind = AccessKind::load;
  std::uint64_t bytes = unit;  ///< bytes of each piece
  std::uint64_t count = 0;
};

/// Returns true if the lane may access the pieces at addresses `first` and `last`, the ends of the
/// copy. An invalid access is reported as the lane's fault.
inline bool is_inside(Warp& warp, const Operation& op, const Pieces& pieces, Address first,
                      Address last) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  for (const Address edge : {first, last}) {
    std::fill_n(addresses, warp_lanes, edge);
    Resolved place;
    resolve(warp, op,
            {pieces.space, pieces.kind, static_cast<int>(pieces.bytes), addresses,
             Mask{1} << pieces.lane},
            place);
    if (place.valid == 0) return false;
  }
  return true;
}

/// Calls body(host address, k) for each piece k whose address, address_of(k), is valid.
template <class Observers, class AddressOf, class Body>
void for_each_piece(Warp& warp, const Operation& op, std::int32_t site, const Pieces& pieces,
                    const AddressOf& address_of, const Body& body) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  for (std::uint64_t done = 0; done < pieces.count; done += warp_lanes) {
    const auto now = static_cast<int>(std::min<std::uint64_t>(warp_lanes, pieces.count - done));
    const Mask lanes = now == warp_lanes ? all_lanes : (Mask{1} << now) - 1;
    for (int i = 0; i < warp_lanes; ++i)
      addresses[i] = address_of(done + static_cast<std::uint64_t>(std::min(i, now - 1)));
    // The reductions of a bulk copy are atomic. Its other accesses are not.
    const Request request{pieces.space,   pieces.kind, static_cast<int>(pieces.bytes),
                          addresses,      lanes,       pieces.kind == AccessKind::atomic,
                          pieces.ends_by, pieces.lane};
    serve<Observers>(warp, op, site, request, [&](const Resolved& place) {
      for (Mask left = place.valid; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        body(place.base + place.at[i], done + static_cast<std::uint64_t>(i));
      }
    });
  }
}

/// Informs an mbarrier that bytes of the lane's copy have arrived.
template <class Observers>
void tell(Warp& warp, const Operation& op, std::int32_t site, int lane, Address mbarrier,
          std::uint32_t bytes) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  std::fill_n(addresses, warp_lanes, mbarrier);
  const Request request{
      space_of_shared(mbarrier), AccessKind::atomic, 8, addresses, Mask{1} << lane, true};
  serve<Observers>(warp, op, site, request, [&](const Resolved& place) {
    if (place.valid == 0) return;
    MbarrierObject object;
    std::byte* at = place.base + place.at[lane];
    std::memcpy(&object, at, sizeof(object));
    Observers::of(warp).on_mbarrier_track(warp, Asynchronous::by_mbarrier, Mask{1} << lane,
                                          phase_at(warp, request, place, lane, object));
    if (!object.complete(bytes))
      record_fault(warp, op, FaultKind::barrier, lane, too_many_come(bytes, object));
    std::memcpy(at, &object, sizeof(object));
  });
}

/// Converts a shared address of any block to the address at the same offset in the block of `rank`.
inline Address in_block(Address shared, std::uint32_t rank) {
  return shared % block_window_bytes + (Address{rank} + 1) * block_window_bytes;
}

/// Calls body(rank) for each block that a multicast reaches.
template <class Body>
void for_each_target(std::uint32_t mask, const Body& body) {
  for (std::uint32_t left = mask & 0xffff; left != 0; left &= left - 1)
    body(static_cast<std::uint32_t>(std::countr_zero(left)));
}

}  // namespace warpwise::emulator::bulk
