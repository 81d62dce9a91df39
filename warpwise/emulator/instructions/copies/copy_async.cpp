#include "warpwise/emulator/instructions/copies/copy_async.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

using CopiedPiece = std::array<std::byte, 16>;

template <class Observers>
void copy_async(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  alignas(64) std::uint64_t to[warp_lanes];
  load_addresses(warp, op, to);
  alignas(64) std::uint64_t from[warp_lanes];
  const auto* address = source<std::uint64_t>(warp, list[0]);
  const auto* added = source<std::uint64_t>(warp, list[1]);
  const auto* read_bytes = source<std::uint32_t>(warp, list[2]);
  Mask reading = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    from[i] = address[i] + added[i];
    reading |= static_cast<Mask>(read_bytes[i] > 0) << i;
  }
  std::array<CopiedPiece, warp_lanes> pieces{};
  reading &= warp.active;
  // Lanes that read the same number of bytes share a request, which reads only these bytes.
  // Addresses must be multiples of Operation::bytes. A misaligned lane requests all of
  // Operation::bytes, so that its fault is reported.
  const auto own = [&](int i) {
    const auto whole = static_cast<std::uint32_t>(op.bytes);
    return from[i] % whole != 0 ? whole : std::min(read_bytes[i], whole);
  };
  while (reading != 0) {
    const std::uint32_t bytes = own(std::countr_zero(reading));
    Mask same = 0;
    for (int i = 0; i < warp_lanes; ++i) same |= static_cast<Mask>(own(i) == bytes) << i;
    same &= reading;
    reading &= ~same;
    serve<Observers>(warp, op, op.site + 1,
                     {Space::global, AccessKind::load, static_cast<int>(bytes), from, same, false,
                      Asynchronous::copy},
                     [&](const Resolved& place) {
                       for (Mask left = place.valid; left != 0; left &= left - 1) {
                         const int i = std::countr_zero(left);
                         std::memcpy(pieces[static_cast<std::size_t>(i)].data(),
                                     place.base + place.at[i], bytes);
                       }
                     });
  }
  serve<Observers>(
      warp, op, op.site,
      {Space::shared, AccessKind::store, op.bytes, to, warp.active, false, Asynchronous::copy},
      [&](const Resolved& place) {
        for (Mask left = place.valid; left != 0; left &= left - 1) {
          const int i = std::countr_zero(left);
          std::memcpy(place.base + place.at[i], pieces[static_cast<std::size_t>(i)].data(),
                      op.bytes);
        }
      });
}

}  // namespace

Handler copy_async_handler(ObserverSet observers) {
  return with_observers(
      observers, [](auto set) -> Handler { return copy_async<typename decltype(set)::type>; });
}

}  // namespace warpwise::emulator
