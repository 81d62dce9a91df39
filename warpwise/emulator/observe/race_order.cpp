#include "warpwise/emulator/observe/race_order.hpp"

#include <bit>
#include <utility>

namespace warpwise::emulator {
namespace {

/// Returns true if the warp has no live lanes except `lanes`.
bool are_all(const Warp& warp, Mask lanes) { return (warp.live & ~lanes) == 0; }

/// Returns the first place of `bytes` bytes that a lane accesses, and the one after its last place.
std::pair<std::uint64_t, std::uint64_t> places_of(const Access& access, int lane,
                                                  std::uint64_t bytes) {
  const std::uint64_t begin = access.addresses[lane];
  const auto end = begin + static_cast<std::uint64_t>(access.bytes);
  return {begin / bytes, (end + bytes - 1) / bytes};
}

}  // namespace

void Past::clear() {
  own.all.fill(0);
  own.some.fill(0);
  own.lanes.fill(0);
  others = {};
  fenced = {};
}

void BlockOrder::begin(const Block& block, bool strict) {
  is_strict_ = strict;
  block_ = block.linear;
  count_ = block.warps.size();
  for (std::size_t w = 0; w < count_; ++w) {
    WarpOrder& own = warps_[w];
    own.now = 1;
    own.absent = ~block.warps[w].live;
    own.past.clear();
    own.parts.clear();
    own.fenced_lanes = 0;
    own.released.fill(0);
  }
  for (; open_barriers_ != 0; open_barriers_ &= open_barriers_ - 1)
    waiting_[static_cast<std::size_t>(std::countr_zero(open_barriers_))].clear();
  if (uses_places_) {
    for (Past& past : places_) past.clear();
  }
  if (any_gone_) gone_.clear();
  uses_places_ = any_gone_ = false;
}

const Past& BlockOrder::past_of_part(const WarpOrder& own, Mask lanes) {
  for (const Part& part : own.parts) {
    if ((lanes & ~part.lanes) == 0) return part.past;
  }
  return own.past;
}

/// Calls body(past) for each past that some of `lanes` have. If other lanes share a past, `lanes`
/// get a copy of it first, and the other lanes keep theirs.
template <class Body>
void BlockOrder::each_past(const Warp& warp, Mask lanes, const Body& body) {
  WarpOrder& own = warps_[warp.index];
  if (are_all(warp, lanes)) {
    body(own.past);
    for (Part& part : own.parts) body(part.past);
    return;
  }
  Mask rest = lanes;
  const std::size_t count = own.parts.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Mask both = own.parts[i].lanes & lanes;
    rest &= ~both;
    if (both == 0) continue;
    if (both == own.parts[i].lanes) {
      body(own.parts[i].past);
      continue;
    }
    own.parts[i].lanes &= ~both;
    Part part{both, own.parts[i].past};
    body(part.past);
    own.parts.push_back(std::move(part));
  }
  if (rest == 0) return;
  own.parts.push_back({rest, own.past});
  body(own.parts.back().past);
}

void BlockOrder::join(Past& to, const Past& from) const {
  emulator::join(to.own, from.own, count_);
  if (!from.others.empty()) to.others.add(from.others);
  if (!from.fenced.empty()) to.fenced.add(from.fenced);
}

/// Adds the accesses of lanes, and the accesses that they know of, to a past.
void BlockOrder::publish(const Warp& warp, Mask lanes, Past& to) const {
  const WarpOrder& own = warps_[warp.index];
  publish_knowledge(warp, lanes, to);
  to.own.add(warp.index, lanes | own.absent, own.now);
}

/// Does publish() for a strong access of a place. With a strict order it leaves out accesses that
/// no fence has followed.
void BlockOrder::publish_at_place(const Warp& warp, Mask lanes, Past& to) const {
  if (!is_strict_) return publish(warp, lanes, to);
  publish_knowledge(warp, lanes, to);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    to.own.add(warp.index, Mask{1} << lane,
               warps_[warp.index].released[static_cast<std::size_t>(lane)]);
  }
}

void BlockOrder::publish_knowledge(const Warp& warp, Mask lanes, Past& to) const {
  const WarpOrder& own = warps_[warp.index];
  join(to, own.past);
  for (const Part& part : own.parts) {
    if ((part.lanes & lanes) != 0) join(to, part.past);
  }
  if ((own.fenced_lanes & lanes) != 0) to.fenced.add(fenced_by(warp, lanes));
}

/// Returns the accesses that lanes know of and that precede a fence for the whole device.
BlockClocks BlockOrder::fenced_by(const Warp& warp, Mask lanes) const {
  const WarpOrder& own = warps_[warp.index];
  BlockClocks fenced = own.past.fenced;
  for (const Part& part : own.parts) {
    if ((part.lanes & lanes) != 0) fenced.add(part.past.fenced);
  }
  if (const Mask both = own.fenced_lanes & lanes; both != 0) {
    Clock clock;
    clock.add(warp.index, both | own.absent, own.fenced_at);
    fenced.add(block_, clock);
  }
  return fenced;
}

void BlockOrder::learn(const Warp& warp, Mask lanes, const Past& from) {
  const Past& known = warps_[warp.index].past;  // what all lanes know
  const bool is_known = covers(known.own, from.own, count_) && known.others.includes(from.others) &&
                        known.fenced.includes(from.fenced);
  if (!is_known) each_past(warp, lanes, [&](Past& past) { join(past, from); });
}

void BlockOrder::meets(const Warp& warp, Mask lanes) {
  WarpOrder& own = warps_[warp.index];
  if (are_all(warp, lanes)) {
    if (own.fenced_lanes != 0) own.past.fenced = fenced_by(warp, all_lanes);
    for (const Part& part : own.parts) join(own.past, part.past);
    own.parts.clear();
    own.fenced_lanes = 0;
    own.past.own.add(warp.index, all_lanes, own.now);
  } else {
    Past all;
    publish(warp, lanes, all);
    learn(warp, lanes, all);
  }
  advance(warp.index);
}

void BlockOrder::on_barrier_arrive(const Warp& warp, Mask lanes, std::uint32_t barrier) {
  open_barriers_ |= 1U << barrier;
  publish(warp, lanes, waiting_[barrier]);
  advance(warp.index);
}

void BlockOrder::on_barrier_release(const Warp& warp, Mask lanes, std::uint32_t barrier) {
  learn(warp, lanes, waiting_[barrier]);
  // A barrier of all threads does not wait for exited threads. It still orders their accesses
  // before what follows the barrier.
  if (any_gone_ && warp.block->barriers[barrier].expected == 0) learn(warp, lanes, gone_);
  WarpOrder& own = warps_[warp.index];
  if (are_all(warp, lanes)) {
    own.parts.clear();  // all lanes have learnt at the barrier what each knew
    own.fenced_lanes = 0;
  }
  advance(warp.index);
}

void BlockOrder::on_exit(const Warp& warp, Mask lanes) {
  any_gone_ = true;
  publish(warp, lanes, gone_);
  advance(warp.index);
}

void BlockOrder::fences_in_block(const Warp& warp, Mask lanes) {
  WarpOrder& own = warps_[warp.index];
  for (Mask left = lanes; left != 0; left &= left - 1)
    own.released[static_cast<std::size_t>(std::countr_zero(left))] = own.now;
  advance(warp.index);
}

void BlockOrder::on_fence(const Warp& warp, Mask lanes) {
  if (is_strict_) fences_in_block(warp, lanes);
  each_past(warp, lanes, [&](Past& past) {
    past.fenced.add(past.others);
    past.fenced.add(block_, past.own);
  });
  WarpOrder& own = warps_[warp.index];
  own.fenced_lanes |= lanes;
  own.fenced_at = own.now;
  advance(warp.index);
}

void BlockOrder::publish(const Warp& warp, Mask lanes, BlockClocks& others) {
  on_fence(warp, lanes);
  others.add(fenced_by(warp, lanes));
}

void BlockOrder::learns(const Warp& warp, Mask lanes, const BlockClocks& others) {
  Past from = gone_;
  from.others.add(others);
  if (const Clock* own = others.clock_of(block_)) emulator::join(from.own, *own);
  learn(warp, lanes, from);
}

void BlockOrder::learns_of_last(const Warp& warp, Mask lanes) {
  Past last;
  last.own.add(warp.index, lanes | warps_[warp.index].absent, now(warp.index) - 1);
  learn(warp, lanes, last);
}

void BlockOrder::orders(const Warp& warp, const Operation& op, const Access& access,
                        ToldPlaces& told) {
  if (access.space == Space::global) order_between_blocks(warp, op, access, told);
  if (is_strict_ && (op.releases || access.releases)) fences_in_block(warp, access.owners());
  order_in_block(warp, access);
  advance(warp.index);
}

// Within a block, strong accesses order without fences, as on GPUs, unless the order is strict.
void BlockOrder::order_in_block(const Warp& warp, const Access& access) {
  uses_places_ = true;
  PlaceUsers users{};
  std::uint64_t used = 0;
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Mask user = access.starter >= 0 ? access.owners() : Mask{1} << lane;
    const auto [begin, end] = places_of(access, lane, 4);
    for (std::uint64_t place = begin; place < end; ++place) {
      const std::uint64_t at = (place + static_cast<std::uint64_t>(access.space)) % place_clocks;
      users[at] |= user;
      used |= std::uint64_t{1} << at;
    }
  }
  learn_at_places(warp, access.owners(), used, users);
  for (std::uint64_t left = used; left != 0; left &= left - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(left));
    publish_at_place(warp, users[at], places_[at]);
  }
}

/// Orders lanes after the accesses that elements of places_ have recorded. `used` has a bit for
/// each element that the lanes access. users[i] has the lanes that access element i.
void BlockOrder::learn_at_places(const Warp& warp, Mask lanes, std::uint64_t used,
                                 const PlaceUsers& users) {
  const std::size_t w = warp.index;
  // True if a single lane accesses the element, and the warp's accesses in it are that lane's own.
  // The warp's other lanes learn nothing from them.
  const auto finds_itself = [&](std::size_t at) {
    return std::has_single_bit(users[at]) && places_[at].own.lanes[w] == users[at];
  };
  const auto first = static_cast<std::size_t>(std::countr_zero(used));
  if (std::has_single_bit(used) && !finds_itself(first)) return learn(warp, lanes, places_[first]);
  Past before;
  for (std::uint64_t left = used; left != 0; left &= left - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(left));
    const Time some = before.own.some[w];
    const Mask known = before.own.lanes[w];
    join(before, places_[at]);
    if (!finds_itself(at)) continue;
    before.own.some[w] = some;
    before.own.lanes[w] = known;
  }
  learn(warp, lanes, before);
}

void BlockOrder::order_between_blocks(const Warp& warp, const Operation& op, const Access& access,
                                      ToldPlaces& told) {
  if (op.narrow) return;  // its scope excludes other blocks
  order_by_places(warp, access, 0, op.releases, told);
}

void BlockOrder::orders_in_cluster(const Warp& warp, const Operation& op, const Access& access,
                                   ToldPlaces& told) {
  // Shared memory of each block gets places of its own, above all addresses of global memory.
  const std::uint64_t first =
      (std::uint64_t{1} << 63) | access.owner->linear * (block_window_bytes / 8);
  order_by_places(warp, access, first, op.releases || access.releases, told);
}

void BlockOrder::order_by_places(const Warp& warp, const Access& access, std::uint64_t first,
                                 bool releases, ToldPlaces& told) {
  const bool writes = access.kind != AccessKind::load;
  if (writes && releases) on_fence(warp, access.owners());
  const BlockClocks fenced = writes ? fenced_by(warp, access.owners()) : BlockClocks{};
  if (told.empty() && fenced.empty()) return;
  Past before;
  std::uint64_t last = ~std::uint64_t{0};  // no place has this number
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const auto [begin, end] = places_of(access, std::countr_zero(left), 8);
    for (std::uint64_t at = begin; at < end; ++at) {
      const std::uint64_t place = first + at;
      if (place == last) continue;
      last = place;
      const auto found = told.find(place);
      // A read orders even if it does not acquire, so a missing fence after it is not detected.
      if (access.kind != AccessKind::store && found != told.end()) before.others.add(found->second);
      if (!fenced.empty()) told[place].add(fenced);
    }
  }
  if (before.others.empty()) return;
  if (const Clock* own = before.others.clock_of(block_)) before.own = *own;
  learn(warp, access.owners(), before);
}

}  // namespace warpwise::emulator
