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
  bool releases = false;  ///< the access is a release, although the operation is not
  Asynchronous ends_by = Asynchronous::none;
  int starter = -1;  ///< see Access::starter
};

/// Finds the host addresses of a request, and records faults of lanes with invalid addresses.
void resolve(Warp& warp, const Operation& op, const Request& request, Resolved& out);

/// Longest access, in bytes of a lane, that observers see at once. They see a longer one as two.
inline constexpr int longest_observed = 16;

/// Shows an access to the observers by tell(access).
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

/// Returns the rank plus one of the block that owns a shared-memory address of a cluster; 0 for the
/// warp's own block.
inline std::uint64_t block_window(std::uint64_t address) { return address / block_window_bytes; }

/// Returns the space of a shared-memory address of a cluster.
inline Space space_of_shared(std::uint64_t address) {
  return block_window(address) == 0 ? Space::shared : Space::cluster;
}

/// Calls body(space, lanes) for each block of the cluster that owns some of the addresses.
/// Space::shared is the space of the warp's own block, whose addresses have no window.
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

/// Calls body(space, lanes) for each space of the active lanes' addresses. First converts these
/// addresses to that space.
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

/// Records that lanes may poll their addresses. Called before for_each_space().
inline void note_poll(Warp& warp, const Operation& op, const std::uint64_t* addresses) {
  warp.polled = true;
  ++warp.polls;
  const Address address = addresses[std::countr_zero(warp.active)];
  warp.poll = {true, op.space, op.index, address};
  // The host may change memory that it shares with the kernel.
  const bool is_in_global = op.space == Space::global || op.space == Space::generic;
  warp.wrote = warp.wrote || (is_in_global && may_be_host_visible(address));
}

/// Computes the addresses of an operation's address operand.
void load_addresses(const Warp& warp, const Operation& op, std::uint64_t* addresses);

}  // namespace warpwise::emulator
