#include "warpwise/emulator/observe/races.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/memory_uses.hpp"

namespace warpwise::emulator {
namespace {

// Some 400 MB of them. Only warps that spin for long reach so many times.
constexpr std::size_t most_epochs = std::size_t{1} << 25;

std::string place_text(std::uint64_t number, Dim3 extent) {
  const Dim3 at = place_in(number, extent);
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

bool is_checked(const Access& access) {
  return access.space == Space::shared || access.space == Space::global;
}

/// Tells what a launch touches to who orders it with other launches and copies.
void tell_uses(MemoryUses& uses, Warp& warp, const Operation& op, const Access& access) {
  const int first = std::countr_zero(access.lanes);
  if (access.lanes == 0 || !uses.watches(access.addresses[first])) return;
  const Use use = access.kind == AccessKind::atomic ? Use::atomic
                  : op.strong                       ? Use::shared
                  : access.kind == AccessKind::load ? Use::read
                                                    : Use::write;
  const Launch& launch = *warp.worker->launch;
  uses.from(&op, use, [&] { return line_text(*launch.code, op.index); });
  const auto bytes = static_cast<std::uint64_t>(access.bytes);
  const auto touch = [&](int lane, std::uint64_t count) {
    Address at = 0;
    const std::string wrong = uses.touch(access.addresses[lane], count, &at);
    if (wrong.empty() || !launch.checks.has(Check::races)) return;
    const int owner = lane + static_cast<int>((at - access.addresses[lane]) / bytes);
    record_fault(
        warp, op, FaultKind::race, owner,
        std::string(name_of(access.kind)) + " of " + launch.device->describe(at) + " " + wrong);
  };
  if (access.place != nullptr && access.place->contiguous) return touch(0, bytes * warp_lanes);
  for (Mask left = access.lanes; left != 0; left &= left - 1) touch(std::countr_zero(left), bytes);
}

}  // namespace

struct Races::History {
  BlockOrder order;
  Shadow shared;
  std::array<Epoch, most_warps> epochs{};  ///< of warps now; 0: none yet
  Epoch first = 1;                         ///< of the block: what is before is another block's

  /// After the order has gone on.
  void renew(std::size_t warp) { epochs[warp] = 0; }
};

/// An earlier access that one at hand has no order with.
struct Races::Found {
  Touch rival;
  int lane = 0;
  std::uint64_t byte = 0;  ///< its address
  bool reads = false;      ///< what the rival does
  bool is_narrow = false;  ///< both are strong, but not for each other
  unsigned mask = 0;       ///< of the bytes that both touch, of the word
  std::array<std::byte, 4> before{};
};

namespace {

/// What memory holds of a word where an access has found a rival: the bytes of the mask.
template <class Found>
std::array<std::byte, 4> word_at(const Access& access, const Found& found) {
  std::array<std::byte, 4> word{};
  for (std::size_t k = 0; k < word.size(); ++k) {
    if ((found.mask >> k & 1) == 0) continue;
    // Such a byte may be another lane's, beside this one's.
    const std::uint64_t address = (found.byte & ~std::uint64_t{3}) + k;
    word[k] =
        access.host(found.lane)[static_cast<std::int64_t>(address - access.addresses[found.lane])];
  }
  return word;
}

}  // namespace

/// Compares one access with what came before, and remembers it.
class Races::Look {
 public:
  Look(Races& races, History& history, Warp& warp, const Operation& op, const Access& access)
      : races_(races), history_(history), order_(history.order), warp_(warp), access_(access),
        shadow_(access.space == Space::shared ? races.history_of(*access.owner).shared
                                              : races.global_),
        epoch_(races.epoch_of(history, warp.index)),
        floor_(Touch::epoch_part(
            access.space == Space::shared ? races.history_of(*access.owner).first : 1)),
        writes_(access.kind != AccessKind::load) {
    const std::uint64_t operation = std::min<std::uint64_t>(op.index, Touch::most_operations - 1);
    base_ = Touch::epoch_part(epoch_) | operation << Touch::operation_at |
            (op.strong || access.tells ? Touch::strong : 0) | (op.narrow ? Touch::narrow : 0) |
            (access.kind == AccessKind::atomic ? Touch::atomic : 0);
  }

  void run() {
    if (access_.place->contiguous || (access_.steady && step() == bytes())) {
      run_contiguous();
    } else if (access_.steady && step() == 0 && !writes_) {
      each_lane(Mask{1} << (warp_lanes - 1), Touch::several, true, true);
    } else if (access_.steady && step() >= 4 && step() <= ~std::uint64_t{3}) {
      each_lane(access_.lanes, 0, true, true);  // no two lanes in one word
    } else {
      // All lanes are compared with what came before this instruction; then all are remembered.
      each_lane(access_.lanes, 0, true, false);
      each_lane(access_.lanes, 0, false, true);
    }
  }

 private:
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(access_.bytes); }
  std::uint64_t step() const { return access_.addresses[1] - access_.addresses[0]; }

  void run_contiguous() {
    const std::uint64_t begin = access_.addresses[0];
    const std::uint64_t end = begin + bytes() * warp_lanes;
    for (std::uint64_t at = begin; at < end;) {
      ShadowPage& page = shadow_.page_of(at);
      const std::uint64_t stop = std::min(end, (at / ShadowPage::bytes + 1) * ShadowPage::bytes);
      prepare(page);
      if (bytes() >= 4) {
        whole_words(page, at, stop, begin);
      } else {
        parts_of_words(page, at, stop, begin);
      }
      at = stop;
    }
  }

  void whole_words(ShadowPage& page, std::uint64_t at, std::uint64_t stop, std::uint64_t begin) {
    const std::uint64_t base = base_ | Touch::mask_bits;
    const int shift = std::countr_zero(bytes());
    for (; at < stop; at += 4) {
      const Touch touch{base | ((at - begin) >> shift) << Touch::lane_at};
      touch_word(page, at, touch, true, true);
    }
  }

  void parts_of_words(ShadowPage& page, std::uint64_t at, std::uint64_t stop, std::uint64_t begin) {
    const std::uint64_t base =
        base_ | Touch::layout_part(bytes() == 1 ? Touch::lane_of_each : Touch::lane_of_two);
    while (at < stop) {
      const std::uint64_t next = std::min(stop, (at | 3) + 1);
      const unsigned mask = ((1U << (next - at)) - 1) << (at & 3);
      const Touch touch{base | Touch::mask_part(mask) | (at - begin) / bytes() << Touch::lane_at};
      touch_word(page, at & ~std::uint64_t{3}, touch, true, true);
      at = next;
    }
  }

  void each_lane(Mask lanes, std::uint64_t flags, bool looks, bool keeps) {
    const bool is_part = bytes() < 4;
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::uint64_t address = access_.addresses[lane];
      const unsigned mask = is_part ? ((1U << bytes()) - 1) << (address & 3) : 15;
      const Touch touch{base_ | flags | Touch::mask_part(mask) | Touch::lane_part(lane)};
      // Aligned, it lies in one page.
      ShadowPage& page = shadow_.page_of(address);
      prepare(page);
      for (std::uint64_t at = address & ~std::uint64_t{3}; at < address + bytes(); at += 4)
        touch_word(page, at, touch, looks, keeps);
    }
  }

  void prepare(ShadowPage& page) const {
    auto& touches = writes_ ? page.writes : page.reads;
    if (touches == nullptr) touches = std::make_unique<ShadowPage::Touches>();
  }

  void touch_word(ShadowPage& page, std::uint64_t address, Touch touch, bool looks, bool keeps) {
    const std::size_t word = address / 4 % ShadowPage::words;
    if (looks) {
      if (page.writes) look(Touch{(*page.writes)[word]}, touch, address, false);
      if (writes_ && page.reads) look(Touch{(*page.reads)[word]}, touch, address, true);
    }
    if (!keeps) return;
    if (writes_) {
      std::uint64_t& old = (*page.writes)[word];
      old = (old & Touch::epoch_bits) == (touch.bits & Touch::epoch_bits)
                ? merged({old}, touch).bits
                : touch.bits;
    } else {
      keep_read((*page.reads)[word], touch);
    }
  }

  void keep_read(std::uint64_t& old, Touch touch) {
    if (old < floor_) {
      old = touch.bits;
    } else if (((old ^ touch.bits) & Touch::epoch_bits) == 0) {
      old = merged({old}, touch).bits;
    } else if (!is_concurrent(Touch{old}.epoch()) || Touch{old}.is(Touch::strong)) {
      // What every later write has to come behind anyway is forgotten.
      old = touch.bits;
    } else if (!touch.is(Touch::strong)) {
      old |= Touch::others;
    }
  }

  void look(Touch old, Touch touch, std::uint64_t address, bool reads) {
    if (old.bits < floor_ || ((old.bits & touch.bits) & Touch::mask_bits) == 0) return;
    if (((old.bits ^ touch.bits) & Touch::epoch_bits) == 0) {
      if (((old.bits ^ touch.bits) &
           (Touch::lane_bits | Touch::layout_bits | Touch::mask_bits | Touch::several)) == 0 &&
          !old.is(Touch::several | Touch::others))
        return;
      if (are_of_different_lanes(old, touch, reads) || (reads && old.is(Touch::others)))
        found(old, touch, address, reads, false);
      return;
    }
    if (!is_concurrent(old.epoch())) return;
    if (old.is(Touch::strong) && touch.is(Touch::strong)) {
      const bool narrow = old.is(Touch::narrow) || touch.is(Touch::narrow);
      if (narrow && races_.owners_[old.epoch()].block != order_.block())
        found(old, touch, address, reads, true);
      return;
    }
    found(old, touch, address, reads, false);
  }

  /// Whether nothing orders what was done in another epoch and what is done now.
  bool is_concurrent(Epoch epoch) {
    Verdict& verdict = verdicts_[epoch % verdicts_.size()];
    if (verdict.epoch != epoch) {
      const Owner& owner = races_.owners_[epoch];
      verdict = {epoch, order_.is_concurrent(owner.block, owner.warp, owner.time, warp_.index)};
    }
    return verdict.is_concurrent;
  }

  void found(Touch old, Touch touch, std::uint64_t address, bool reads, bool is_narrow) {
    Found each{old, 0, address, reads, is_narrow, old.mask() & touch.mask(), {}};
    each.byte += static_cast<std::uint64_t>(std::countr_zero(each.mask));
    if (touch.is(Touch::several)) {
      for (each.lane = 0; each.lane < warp_lanes; ++each.lane) add(each);
      return;
    }
    for (unsigned left = each.mask; left != 0; left &= left - 1) {
      const int lane = touch.lane_of(std::countr_zero(left));
      if (lane == each.lane && left != each.mask) continue;
      each.lane = lane;
      each.byte = address + static_cast<std::uint64_t>(std::countr_zero(left));
      add(each);
    }
  }

  void add(Found each) {
    if (each.rival.epoch() == epoch_ && !each.rival.is(Touch::several | Touch::others) &&
        each.rival.lane_of(static_cast<int>(each.byte & 3)) == each.lane)
      return;
    each.before = word_at(access_, each);
    races_.found_.push_back(each);
  }

  struct Verdict {
    Epoch epoch = 0;
    bool is_concurrent = false;
  };

  Races& races_;
  History& history_;
  BlockOrder& order_;
  Warp& warp_;
  const Access& access_;
  Shadow& shadow_;
  Epoch epoch_;
  std::uint64_t floor_;
  std::uint64_t base_ = 0;
  bool writes_;
  std::array<Verdict, 8> verdicts_{};
};

Races::Races(const Launch& launch)
    : Observer(launch), launch_(&launch),
      is_on_(launch.checks.has(Check::races) || launch.checks.has(Check::equal_writes)) {
  forget_all();
}
Races::Races(Races&&) noexcept = default;
Races::~Races() = default;

Races::History& Races::history_of(const Block& block) {
  if (last_block_ != &block) {
    last_block_ = &block;
    last_history_ = histories_.at(&block).get();
  }
  return *last_history_;
}

Epoch Races::epoch_of(History& history, std::size_t warp) {
  if (history.epochs[warp] != 0) return history.epochs[warp];
  if (owners_.size() == most_epochs) forget_all();
  owners_.push_back({static_cast<std::uint32_t>(history.order.block()), history.order.now(warp),
                     static_cast<std::uint32_t>(warp)});
  return history.epochs[warp] = static_cast<Epoch>(owners_.size() - 1);
}

void Races::forget_all() {
  owners_.assign(1, {});  // epoch 0 is nobody's
  global_.clear();
  for (auto& [block, history] : histories_) {
    history->shared.clear();
    history->epochs.fill(0);
    history->first = 1;
  }
  for (auto& history : unused_) history->shared.clear();
}

void Races::begins(Block& block) {
  if (!is_on_) return;
  std::unique_ptr<History>& history = histories_[&block];
  if (unused_.empty()) {
    history = std::make_unique<History>();
  } else {
    history = std::move(unused_.back());
    unused_.pop_back();
  }
  history->order.begin(block.linear, block.warps.size());
  history->epochs.fill(0);
  history->first = static_cast<Epoch>(owners_.size());
  last_block_ = nullptr;
  if (block.rank == 0) meetings_[block.cluster.get()] = {};
}

void Races::ends(Block& block) {
  if (!is_on_) return;
  const auto found = histories_.find(&block);
  unused_.push_back(std::move(found->second));
  histories_.erase(found);
  last_block_ = nullptr;
  const auto& others = block.cluster->blocks;
  if (std::count(others.begin(), others.end(), nullptr) + 1 == std::ssize(others))
    meetings_.erase(block.cluster.get());
}

void Races::precedes(Warp& warp, const Operation& op, const Access& access) {
  if (!is_on_ || !is_checked(access)) return;
  found_.clear();
  Look(*this, history_of(*warp.block), warp, op, access).run();
}

void Races::accesses(Warp& warp, const Operation& op, const Access& access) {
  if (access.space == Space::global && launch_->device->uses != nullptr)
    tell_uses(*launch_->device->uses, warp, op, access);
  if (!is_on_ || !is_checked(access)) return;
  if (!found_.empty()) tell(warp, op, access);
  const bool orders = op.strong || access.tells;
  if (!orders && op.control != Control::converge) return;
  History& history = history_of(*warp.block);
  if (orders) {
    if (access.space == Space::shared && launch_->cluster.count() > 1)
      history.order.orders_in_cluster(warp.index, op, access, told_);
    history.order.orders(warp.index, op, access, told_);
  }
  // What such an instruction reads for other lanes is read when it is done.
  if (op.control == Control::converge) history.order.advance(warp.index);
  history.renew(warp.index);
}

void Races::tell(Warp& warp, const Operation& op, const Access& access) {
  std::array<Mask, 3> told{};
  for (const Found& found : found_) {
    const bool is_equal = access.kind == AccessKind::store && !found.reads && !found.is_narrow &&
                          word_at(access, found) == found.before;
    if (!launch_->checks.has(is_equal ? Check::equal_writes : Check::races)) continue;
    const FaultKind kind = found.is_narrow ? FaultKind::narrow_scope
                           : is_equal      ? FaultKind::equal_writes
                                           : FaultKind::race;
    Mask& lanes = told[found.is_narrow ? 0 : is_equal ? 1 : 2];
    const Mask lane = Mask{1} << found.lane;
    if ((lanes & lane) == 0) record_fault(warp, op, kind, found.lane, message(warp, access, found));
    lanes |= lane;
  }
}

std::string Races::message(const Warp& warp, const Access& access, const Found& found) const {
  std::string where = launch_->device->describe(found.byte);
  if (access.space == Space::shared) {
    where = "byte " + std::to_string(found.byte) + " of shared memory";
    if (access.owner != warp.block)
      where += " of block " + place_text(access.owner->linear, launch_->grid);
  }
  const std::string what(name_of(access.kind));
  return what + " of " + where + ", which " +
         described(found.rival, found.reads, static_cast<int>(found.byte & 3), warp, found.lane) +
         (found.is_narrow ? ": one of the two is atomic for its own block alone"
                          : ", and nothing orders the two");
}

std::string Races::described(Touch rival, bool reads, int byte, const Warp& warp, int lane) const {
  const Owner& owner = owners_[rival.epoch()];
  const int rival_lane = rival.lane_of(byte);
  const std::uint32_t first = owner.warp * warp_lanes;
  const std::uint32_t thread = first + static_cast<std::uint32_t>(std::max(rival_lane, 0));
  const bool same_block = owner.block == warp.block->linear;
  std::string who = "thread " + place_text(thread, launch_->block);
  if (rival_lane < 0) who = "a thread of warp " + std::to_string(owner.warp);
  if (same_block && rival_lane >= 0 && thread == warp.thread(lane))
    who = rival.is(Touch::others) ? "a thread of another warp" : "another thread of its warp";
  if (!same_block) who += " of block " + place_text(owner.block, launch_->grid);
  const std::string does = rival.is(Touch::atomic) ? " accesses atomically"
                           : reads                 ? " reads"
                                                   : " writes";
  return who + does + " at " + line_text(*launch_->code, rival.operation());
}

void Races::converges(Warp& warp, const Operation&, Mask) {
  if (!is_on_) return;
  History& history = history_of(*warp.block);
  history.order.advance(warp.index);
  history.renew(warp.index);
}

void Races::fences(Warp& warp) {
  if (!is_on_) return;
  History& history = history_of(*warp.block);
  history.order.fences(warp.index);
  history.renew(warp.index);
}

void Races::arrives(Warp& warp, const Operation& op, Mask, std::uint32_t barrier) {
  if (!is_on_) return;
  History& history = history_of(*warp.block);
  if (barrier != cluster_barrier)
    history.order.arrives(warp.index, barrier);
  else if (op.releases)
    history.order.tells(warp.index, meetings_[warp.block->cluster.get()].arriving);
  history.renew(warp.index);
}

void Races::passes(Warp& warp, Mask, std::uint32_t barrier) {
  if (!is_on_) return;
  History& history = history_of(*warp.block);
  if (barrier == cluster_barrier)
    history.order.learns(warp.index, meetings_[warp.block->cluster.get()].met);
  else
    history.order.passes(warp.index, barrier);
  history.renew(warp.index);
}

void Races::leaves(Warp& warp, Mask) {
  if (!is_on_) return;
  History& history = history_of(*warp.block);
  history.order.leaves(warp.index);
  if (launch_->cluster.count() > 1)
    history.order.tells(warp.index, meetings_[warp.block->cluster.get()].arriving);
  history.renew(warp.index);
}

void Races::completes(Block& block, std::uint32_t barrier) {
  if (!is_on_) return;
  if (barrier != cluster_barrier) return history_of(block).order.completes(barrier);
  Meeting& meeting = meetings_[block.cluster.get()];
  meeting.met = meeting.arriving;
}

}  // namespace warpwise::emulator
