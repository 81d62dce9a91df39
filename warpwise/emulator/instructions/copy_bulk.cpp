#include "warpwise/emulator/instructions/copy_bulk.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/mbarrier_object.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t unit = 16;  // what addresses and sizes are multiples of
constexpr std::uint64_t row = unit * warp_lanes;

/// Calls body(place, lanes, offset) for the pieces of 16 bytes of [begin, begin + bytes), 32 at a
/// time. All of them are checked for one lane first: its faults are that lane's.
template <class Observers, class Body>
bool for_each_piece(Warp& warp, const Operation& op, std::int32_t site, int lane, Space space,
                    AccessKind kind, Address begin, std::uint64_t bytes, const Body& body) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  for (const Address edge : {begin, begin + bytes - unit}) {
    std::fill_n(addresses, warp_lanes, edge);
    Resolved place;
    resolve(warp, op, {space, kind, unit, addresses, Mask{1} << lane}, place);
    if (place.valid == 0) return false;
  }
  for (std::uint64_t done = 0; done < bytes; done += row) {
    const auto pieces = static_cast<int>(std::min(row, bytes - done) / unit);
    const Mask lanes = pieces == warp_lanes ? all_lanes : (Mask{1} << pieces) - 1;
    for (int i = 0; i < warp_lanes; ++i)
      addresses[i] = begin + done + unit * static_cast<std::uint64_t>(std::min(i, pieces - 1));
    serve<Observers>(
        warp, op, site, {space, kind, unit, addresses, lanes}, [&](const Resolved& place) {
          for (Mask left = place.valid; left != 0; left &= left - 1) {
            const int i = std::countr_zero(left);
            body(place.base + place.at[i], done + unit * static_cast<std::uint64_t>(i));
          }
        });
  }
  return true;
}

template <class Observers>
class BulkCopy {
 public:
  BulkCopy(Warp& warp, const Operation& op) : warp_(warp), op_(op), list_(list_of(warp, op)) {}

  void run(int lane) {
    const auto flags = flags_of<BulkFlags>(op_);
    const std::uint64_t bytes = source<std::uint32_t>(warp_, list_[2])[lane];
    const Address to = source<std::uint64_t>(warp_, list_[0])[lane];
    const Address from = source<std::uint64_t>(warp_, list_[1])[lane];
    if (bytes % unit != 0) {
      record_fault(warp_, op_, FaultKind::misaligned, lane,
                   "a bulk copy of " + std::to_string(bytes) + " bytes: no multiple of 16");
      return;
    }
    if (bytes == 0) return;
    const bool loads = flags.to_global == 0;
    std::vector<std::byte> content(bytes);
    const Space source_space = loads && flags.from_shared == 0 ? Space::global : Space::shared;
    const bool was_read =
        for_each_piece<Observers>(warp_, op_, op_.site + 1, lane, source_space, AccessKind::load,
                                  from, bytes, [&](const std::byte* at, std::uint64_t offset) {
                                    std::memcpy(content.data() + offset, at, unit);
                                  });
    if (!was_read) return;
    const Space space = loads ? Space::shared : Space::global;
    for_each_piece<Observers>(warp_, op_, op_.site, lane, space, AccessKind::store, to, bytes,
                              [&](std::byte* at, std::uint64_t offset) {
                                std::memcpy(at, content.data() + offset, unit);
                              });
    if (list_[3] != Operation::none) tell(lane, static_cast<std::uint32_t>(bytes));
  }

 private:
  void tell(int lane, std::uint32_t bytes) {
    alignas(64) std::uint64_t addresses[warp_lanes];
    std::memcpy(addresses, source<std::uint64_t>(warp_, list_[3]), sizeof(addresses));
    serve<Observers>(warp_, op_, op_.site + 2,
                     {Space::shared, AccessKind::atomic, 8, addresses, Mask{1} << lane},
                     [&](const Resolved& place) {
                       if (place.valid == 0) return;
                       MbarrierObject object;
                       std::byte* at = place.base + place.at[lane];
                       std::memcpy(&object, at, sizeof(object));
                       object.complete(bytes);
                       std::memcpy(at, &object, sizeof(object));
                     });
  }

  Warp& warp_;
  const Operation& op_;
  const std::int32_t* list_;
};

template <class Observers>
void copy_bulk(Warp& warp, const Operation& op) {
  const Mask active = warp.active;
  for (Mask left = active; left != 0; left &= left - 1)
    BulkCopy<Observers>(warp, op).run(std::countr_zero(left));
}

}  // namespace

Handler copy_bulk_handler(ObserverSet observers) {
  return with_observers(
      observers, [](auto set) -> Handler { return copy_bulk<typename decltype(set)::type>; });
}

}  // namespace warpwise::emulator
