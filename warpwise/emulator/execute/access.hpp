#pragma once

// Internal to the emulator: converts a warp's addresses to host addresses, with checks. Accesses go
// through serve(), which shows them to the observers. A kernel's own parameters, printf's arguments
// and textures are read elsewhere, and shown to the observers there.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpwise/emulator/execute/mbarrier_object.hpp"
#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

/// A warp's memory request: `bytes` for each lane, at addresses[lane] of one space (not generic).
/// In Space::cluster all addresses are in one block's memory.
struct Request {
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  int bytes = 0;
  const std::uint64_t* addresses = nullptr;
  Mask lanes = 0;
  bool releases = false;  ///< the access has release order, although the operation has none
  Asynchronous ends_by = Asynchronous::none;
  int starter = -1;  ///< see Access::starter
};

/// Finds the host addresses of a request, and records faults of lanes with invalid addresses.
void resolve(Warp& warp, const Operation& op, const Request& request, Resolved& out);

/// Longest access, in bytes per lane, that observers see as one. They see a longer access in two
/// parts.
inline constexpr int longest_observed = 16;

/// Shows an access to the observers by tell(access), in two parts if it is long.
template <class Tell>
void show(const Warp& warp, std::int32_t site, const Request& request, const Resolved& place,
          const Tell& tell) {
  Access access{request.space,   request.kind,   request.bytes, request.addresses, place.valid,
                place.steady,    site,           &place,        nullptr,           request.releases,
                request.ends_by, request.starter};
  if (request.space == Space::shared) access.owner = warp.block;
  if (request.space == Space::cluster) {
    access.space = Space::shared;
    access.addresses = place.at;
    access.owner = place.owner;
  }
  if (request.bytes <= longest_observed) {
    tell(access);
    return;
  }
  Resolved part = place;
  part.contiguous = false;
  std::uint64_t addresses[warp_lanes];
  std::memcpy(addresses, access.addresses, sizeof(addresses));
  access.addresses = addresses;
  access.place = &part;
  access.bytes = longest_observed;
  tell(access);
  part.base += longest_observed;
  access.part = longest_observed;
  for (std::uint64_t& each : addresses) each += longest_observed;
  tell(access);
}

/// Resolves a request, reads or writes the memory by body(place), and shows the access to the
/// observers.
/// \param site  the access's index in the code's sites
template <class Observers, class Body>
void serve(Warp& warp, const Operation& op, std::int32_t site, const Request& request,
           const Body& body) {
  Resolved place;
  resolve(warp, op, request, place);
  if (request.kind == AccessKind::store) warp.wrote = true;
  if constexpr (Observers::any) {
    const auto precedes = [&](const Access& each) {
      Observers::of(warp).before_access(warp, op, each);
    };
    const auto accesses = [&](const Access& each) {
      Observers::of(warp).after_access(warp, op, each);
    };
    if (place.valid != 0) show(warp, site, request, place, precedes);
    body(place);
    if (place.valid != 0) show(warp, site, request, place, accesses);
  } else {
    body(place);
  }
}

/// Returns the phase of the mbarrier that a lane accesses.
inline MbarrierPhase phase_at(const Warp& warp, const Request& request, const Resolved& place,
                              int lane, MbarrierObject object) {
  const bool is_far = request.space == Space::cluster;
  return {is_far ? place.owner : warp.block, is_far ? place.at[lane] : request.addresses[lane],
          object.phase()};
}

/// Returns the window of a shared-memory address of a cluster: 0 for the warp's own block,
/// otherwise the rank plus one of the block that owns the address.
inline std::uint64_t block_window(std::uint64_t address) { return address / block_window_bytes; }

/// Returns Space::shared for an address in the warp's own block, and Space::cluster for one in a
/// block's window.
inline Space space_of_shared(std::uint64_t address) {
  return block_window(address) == 0 ? Space::shared : Space::cluster;
}

/// Calls body(space, lanes) for each block of the cluster that owns some of the addresses. The
/// space is Space::shared for addresses below all windows, which belong to the warp's own block.
template <class Body>
void for_each_block(const std::uint64_t* addresses, Mask active, const Body& body) {
  while (active != 0) {
    const std::uint64_t window = block_window(addresses[std::countr_zero(active)]);
    Mask same = 0;
    for (int i = 0; i < warp_lanes; ++i)
      same |= static_cast<Mask>(block_window(addresses[i]) == window) << i;
    same &= active;
    active &= ~same;
    body(window == 0 ? Space::shared : Space::cluster, same);
  }
}

/// Calls body(space, lanes) for each space that the active lanes' addresses are in. Before a call,
/// converts the lanes' generic addresses to that space.
template <class Body>
void for_each_space(Space space, std::uint64_t* addresses, Mask active, const Body& body) {
  if (space == Space::cluster) return for_each_block(addresses, active, body);
  if (space != Space::generic) {
    body(space, active);
    return;
  }
  Mask global = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    global |= static_cast<Mask>(addresses[i] >= global_base) << i;
  }
  if ((global & active) == active) {
    body(Space::global, active);
    return;
  }
  Mask left = active;
  while (left != 0) {
    const Address window = addresses[std::countr_zero(left)] & ~(window_bytes - 1);
    Mask same = 0;
    for (int i = 0; i < warp_lanes; ++i) {
      const bool in = is_global(window) ? is_global(addresses[i])
                                        : (addresses[i] & ~(window_bytes - 1)) == window;
      same |= static_cast<Mask>(in) << i;
    }
    same &= left;
    left &= ~same;
    const Space found = window == shared_window      ? Space::shared
                        : window == local_window     ? Space::local
                        : window == parameter_window ? Space::parameter
                                                     : Space::global;
    if (found != Space::global) {
      for (int i = 0; i < warp_lanes; ++i) {
        if ((same >> i & 1) != 0) addresses[i] -= window;
      }
    }
    if (found == Space::shared)
      for_each_block(addresses, same, body);
    else
      body(found, same);
  }
}

/// Records an access that may poll, that is, wait for another thread. These are strong loads,
/// atomics and tests of an mbarrier. Called before for_each_space(), which overwrites the
/// addresses.
inline void note_poll(Warp& warp, const Operation& op, const std::uint64_t* addresses) {
  warp.polled = true;
  ++warp.polls;
  const Address address = addresses[std::countr_zero(warp.active)];
  warp.poll = {true, op.space, op.index, address};
  // The host may change memory that it shares with the kernel, so a poll of that memory is not
  // taken for a livelock.
  const bool is_in_global = op.space == Space::global || op.space == Space::generic;
  warp.wrote = warp.wrote || (is_in_global && may_be_host_visible(address));
}

/// Computes each lane's address: the operand `a` of the operation plus its offset.
void load_addresses(const Warp& warp, const Operation& op, std::uint64_t* addresses);

}  // namespace warpwise::emulator
