#include "warpwise/emulator/instructions/copies/copy_bulk.hpp"

#include <string>
#include <vector>

#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/copies/bulk.hpp"
#include "warpwise/emulator/instructions/memory/reductions.hpp"
#include "warpwise/emulator/observe/sets.hpp"
#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise::emulator {
namespace {

using bulk::Pieces;

template <class Observers>
class BulkCopy {
 public:
  BulkCopy(Warp& warp, const Operation& op)
      : warp_(warp), op_(op), list_(list_of(warp, op)), flags_(flags_of<BulkFlags>(op)),
        ends_by_(flags_.to_global != 0 ? Asynchronous::bulk : Asynchronous::by_mbarrier) {}

  void run(int lane) {
    const std::uint64_t bytes = source<std::uint32_t>(warp_, list_[2])[lane];
    const Address to = source<std::uint64_t>(warp_, list_[0])[lane];
    const Address from = source<std::uint64_t>(warp_, list_[1])[lane];
    if (bytes % bulk::unit != 0) {
      record_fault(warp_, op_, FaultKind::misaligned, lane,
                   "a bulk copy of " + std::to_string(bytes) + " bytes: no multiple of 16");
      return;
    }
    if (bytes == 0) return;
    if (!bulk::is_inside(warp_, op_, source_pieces(lane, from, bytes), from,
                         from + bytes - bulk::unit))
      return;
    // One side of the copy is shared memory. A copy that does not fit there is reported before its
    // bytes are allocated.
    if (bytes > warp_.worker->launch->shared_bytes &&
        !bulk::is_inside(warp_, op_, target_pieces(lane, to, bytes), to, to + bytes - bulk::unit))
      return;
    content_.resize(bytes);
    read(lane, from);
    const Address mbarrier =
        list_[3] == Operation::none ? 0 : source<std::uint64_t>(warp_, list_[3])[lane];
    if (flags_.multicast == 0) return write(lane, to, mbarrier);
    bulk::for_each_target(source<std::uint32_t>(warp_, list_[4])[lane], [&](std::uint32_t rank) {
      write(lane, bulk::in_block(to, rank), bulk::in_block(mbarrier, rank));
    });
  }

 private:
  Pieces source_pieces(int lane, Address from, std::uint64_t bytes) const {
    const bool is_global = flags_.to_global == 0 && flags_.from_shared == 0;
    // A copy between the shared memories of two blocks signals its end at an mbarrier of the
    // destination's block. The race check does not connect that end with the read of the source.
    // For the check, the read therefore ends at once.
    const Asynchronous ends_by = flags_.from_shared != 0 ? Asynchronous::none : ends_by_;
    return {lane,
            ends_by,
            is_global ? Space::global : space_of_shared(from),
            AccessKind::load,
            bulk::unit,
            bytes / bulk::unit};
  }

  Pieces target_pieces(int lane, Address to, std::uint64_t bytes) const {
    return {lane,
            ends_by_,
            flags_.to_global != 0 ? Space::global : space_of_shared(to),
            flags_.reduction != Reduction::none ? AccessKind::atomic : AccessKind::store,
            bulk::unit,
            bytes / bulk::unit};
  }

  void read(int lane, Address from) {
    bulk::for_each_piece<Observers>(
        warp_, op_, op_.site + 1, source_pieces(lane, from, content_.size()),
        [&](std::uint64_t k) { return from + bulk::unit * k; },
        [&](const std::byte* at, std::uint64_t k) {
          std::memcpy(content_.data() + bulk::unit * k, at, bulk::unit);
        });
  }

  void write(int lane, Address to, Address mbarrier) {
    const bool reduces = flags_.reduction != Reduction::none;
    const Pieces pieces = target_pieces(lane, to, content_.size());
    if (bulk::is_inside(warp_, op_, pieces, to, to + content_.size() - bulk::unit)) {
      bulk::for_each_piece<Observers>(
          warp_, op_, op_.site, pieces, [&](std::uint64_t k) { return to + bulk::unit * k; },
          [&](std::byte* at, std::uint64_t k) {
            const std::byte* piece = content_.data() + bulk::unit * k;
            reduces ? reduce(at, piece) : static_cast<void>(std::memcpy(at, piece, bulk::unit));
          });
    }
    if (list_[3] != Operation::none) {
      bulk::tell<Observers>(warp_, op_, op_.site + 2, lane, mbarrier,
                            static_cast<std::uint32_t>(content_.size()));
    }
  }

  void reduce(std::byte* at, const std::byte* piece) const {
    const std::uint64_t each = element_bytes(flags_.type);
    for (std::uint64_t i = 0; i < bulk::unit; i += each)
      emulator::reduce(flags_.reduction, flags_.type, at + i, piece + i, true);
  }

  Warp& warp_;
  const Operation& op_;
  const std::int32_t* list_;
  BulkFlags flags_;
  Asynchronous ends_by_;
  std::vector<std::byte> content_;
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
