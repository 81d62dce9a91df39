#include "warpwise/emulator/observe/race_order.hpp"

#include <bit>

namespace warpwise::emulator {

void Past::clear() {
  own.fill(0);
  others = {};
  fenced = {};
}

void join(Past& to, const Past& from) {
  join(to.own, from.own);
  if (!from.others.empty()) to.others.add(from.others);
  if (!from.fenced.empty()) to.fenced.add(from.fenced);
}

void BlockOrder::begin(std::uint64_t block, std::size_t warps) {
  block_ = block;
  count_ = warps;
  for (std::size_t w = 0; w < count_; ++w) {
    warps_[w].clear();
    warps_[w].own[w] = 1;
  }
  for (Past& past : waiting_) past.clear();
  if (uses_places_) {
    for (Past& past : places_) past.clear();
  }
  uses_places_ = false;
  gone_.clear();
}

void BlockOrder::arrives(std::size_t warp, std::uint32_t barrier) {
  join(waiting_[barrier], warps_[warp]);
  advance(warp);
}

void BlockOrder::passes(std::size_t warp, std::uint32_t barrier) {
  join(warps_[warp], waiting_[barrier]);
  join(warps_[warp], gone_);
  advance(warp);
}

void BlockOrder::leaves(std::size_t warp) {
  // A barrier that no longer waits for lanes still follows all their accesses.
  join(gone_, warps_[warp]);
  advance(warp);
}

void BlockOrder::fences(std::size_t warp) {
  Past& past = warps_[warp];
  past.fenced.add(past.others);
  past.fenced.add(block_, past.own);
  advance(warp);
}

void BlockOrder::tells(std::size_t warp, KnownBlocks& others) {
  fences(warp);
  others.add(warps_[warp].fenced);
}

void BlockOrder::learns(std::size_t warp, const KnownBlocks& others) {
  Past& past = warps_[warp];
  past.others.add(others);
  if (const Clock* own = others.clock_of(block_)) join(past.own, *own);
  join(past, gone_);
}

void BlockOrder::orders(std::size_t warp, const Operation& op, const Access& access,
                        ToldPlaces& told) {
  if (access.space == Space::global) order_between_blocks(warp, op, access, told);
  if (count_ > 1) order_in_block(warp, access);
  advance(warp);
}

// Within a block strong accesses order without fences too: GPUs keep their order.
void BlockOrder::order_in_block(std::size_t warp, const Access& access) {
  uses_places_ = true;
  std::uint64_t done = 0;
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(left)];
    const std::uint64_t at =
        (address / 4 + static_cast<std::uint64_t>(access.space)) % place_clocks;
    if ((done >> at & 1) != 0) continue;
    done |= std::uint64_t{1} << at;
    join(warps_[warp], places_[at]);
    join(places_[at], warps_[warp]);
  }
}

void BlockOrder::order_between_blocks(std::size_t warp, const Operation& op, const Access& access,
                                      ToldPlaces& told) {
  if (op.narrow) return;  // it excludes other blocks
  order_by_places(warp, access, 0, op.releases, told);
}

void BlockOrder::orders_in_cluster(std::size_t warp, const Operation& op, const Access& access,
                                   ToldPlaces& told) {
  // Shared memory of each block gets places of its own, above all addresses of global memory.
  const std::uint64_t first =
      (std::uint64_t{1} << 63) | access.owner->linear * (block_window_bytes / 8);
  order_by_places(warp, access, first, op.releases || access.tells, told);
}

void BlockOrder::order_by_places(std::size_t warp, const Access& access, std::uint64_t first,
                                 bool releases, ToldPlaces& told) {
  const bool writes = access.kind != AccessKind::load;
  if (writes && releases) fences(warp);
  Past& past = warps_[warp];
  const bool tells = writes && !past.fenced.empty();
  if (told.empty() && !tells) return;
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t place = first + access.addresses[std::countr_zero(left)] / 8;
    const auto found = told.find(place);
    // A read orders even if it does not acquire, so a missing fence after it is not detected.
    if (access.kind != AccessKind::store && found != told.end() && past.others.add(found->second)) {
      if (const Clock* own = found->second.clock_of(block_)) join(past.own, *own);
    }
    if (tells) told[place].add(past.fenced);
  }
}

}  // namespace warpwise::emulator
