#include "warpwise/emulator/observe/races.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/memory_uses.hpp"
#include "warpwise/emulator/observe/race_decision.hpp"
#include "warpwise/emulator/observe/sets.hpp"
#include "warpwise/emulator/observe/volatile_use.hpp"

namespace warpwise::emulator {
namespace {

std::string place_text(std::uint64_t number, Dim3 extent) {
  const Dim3 at = place_in(number, extent);
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

CriticalSections::Lane lane_of(const Warp& warp, int lane) {
  return {warp.block->linear, warp.thread(lane)};
}

/// Returns a key for a place in memory. Places in the shared memories of two blocks have different
/// keys.
std::uint64_t place_of(const Access& access, Address address) {
  return access.space == Space::shared
             ? (std::uint64_t{1} << 63 | access.owner->linear * block_window_bytes) + address
             : address;
}

bool is_checked(const Access& access) {
  return access.space == Space::shared || access.space == Space::global;
}

/// An access of global memory, for the check of accesses by several launches (memory_uses.hpp).
class UseOfMemory {
 public:
  UseOfMemory(MemoryUses& uses, Warp& warp, const Operation& op, AccessKind kind,
              std::uint64_t bytes)
      : uses_(uses), warp_(warp), op_(op), kind_(kind), bytes_(bytes) {
    const Use use = kind == AccessKind::atomic && !op.system ? Use::atomic
                    : op.strong                              ? Use::shared
                    : kind == AccessKind::load               ? Use::read
                                                             : Use::write;
    uses.from(&op, use, [&] { return line_text(*warp.worker->launch->code, op.index); });
  }

  /// Records `bytes` from `begin` on, and reports a race with another launch, copy or fill.
  /// \param lane  accesses the first bytes
  /// \param starter  Access::starter
  void touch(int lane, Address begin, std::uint64_t bytes, int starter) {
    if ((begin & 3) + bytes <= 4 && uses_.touch_settled_word(begin, bytes)) return;
    Address at = 0;
    const std::string wrong = uses_.touch(begin, bytes, &at);
    const Launch& launch = *warp_.worker->launch;
    if (wrong.empty() || !launch.checks.has(Check::races)) return;
    const int owner = lane + static_cast<int>((at - begin) / bytes_);
    record_fault(warp_, op_, FaultKind::race, starter >= 0 ? starter : owner,
                 std::string(name_of(kind_)) + " of " + launch.device->describe(at) + " " + wrong);
  }

 private:
  MemoryUses& uses_;
  Warp& warp_;
  const Operation& op_;
  AccessKind kind_;
  std::uint64_t bytes_;  ///< bytes for each lane
};

void tell_uses(MemoryUses& uses, Warp& warp, const Operation& op, const Access& access) {
  Mask lanes = access.lanes;
  for (Mask left = uses.watches_all() ? 0 : lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (!uses.watches(access.addresses[lane])) lanes &= ~(Mask{1} << lane);
  }
  if (lanes == 0) return;
  const auto bytes = static_cast<std::uint64_t>(access.bytes);
  UseOfMemory use(uses, warp, op, access.kind, bytes);
  for (Mask left = lanes; left != 0;) {
    // Lanes with one address, or with adjacent ones, are one access, and give at most one fault.
    const int first = std::countr_zero(left);
    int end = first + 1;
    const auto is_next = [&](std::uint64_t step) {
      return end < warp_lanes && (left >> end & 1) != 0 &&
             access.addresses[end] == access.addresses[end - 1] + step;
    };
    const std::uint64_t step = is_next(0) ? 0 : bytes;
    while (is_next(step)) ++end;
    left &= ~std::uint64_t{0} << end;
    const int touched = step == 0 ? 1 : end - first;
    use.touch(first, access.addresses[first], bytes * static_cast<std::uint64_t>(touched),
              access.starter);
  }
}

}  // namespace

Races::Races(const Launch& launch)
    : Observer(launch), launch_(&launch), is_on_(checks_races(launch.checks)),
      is_strict_(launch.checks.has(Check::strict)) {
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
  if (owners_.size() >= Owner::most) forget_all();
  return history.epochs[warp] = new_epoch(history, history.order.now(warp), warp);
}

Epoch Races::new_epoch(const History& history, Time time, std::size_t warp) {
  owners_.push_back(
      {static_cast<std::uint32_t>(history.order.block()), time, static_cast<std::uint32_t>(warp)});
  return static_cast<Epoch>(owners_.size() - 1);
}

void Races::forget_all() {
  owners_.assign(1, {});  // epoch 0: no owner
  verdicts_.past = nullptr;
  starters_.clear();
  global_.clear();
  sections_.clear();
  for (auto& [block, history] : histories_) {
    history->shared.clear();
    history->pending.clear();
    history->epochs.fill(0);
    history->pending_epochs.fill(0);
    history->first = 1;
  }
  for (auto& history : unused_) history->shared.clear();
}

void Races::on_block_begin(Block& block) {
  if (!is_on_) return;
  verdicts_.past = nullptr;
  std::unique_ptr<History>& history = histories_[&block];
  if (unused_.empty()) {
    history = std::make_unique<History>();
  } else {
    history = std::move(unused_.back());
    unused_.pop_back();
  }
  history->order.begin(block, is_strict_);
  history->pending.begin(block.warps.size());
  history->epochs.fill(0);
  history->pending_epochs.fill(0);
  history->met.fill(0);
  history->arrived.fill(0);
  history->gone = 0;
  history->first = static_cast<Epoch>(owners_.size());
  last_block_ = nullptr;
  if (block.rank == 0) meetings_[block.cluster.get()] = {};
}

void Races::on_block_end(Block& block) {
  if (!is_on_) return;
  const auto found = histories_.find(&block);
  unused_.push_back(std::move(found->second));
  histories_.erase(found);
  last_block_ = nullptr;
  const auto& others = block.cluster->blocks;
  if (std::count(others.begin(), others.end(), nullptr) + 1 == std::ssize(others))
    meetings_.erase(block.cluster.get());
}

void Races::before_access(Warp& warp, const Operation& op, const Access& access) {
  if (!is_on_ || !is_checked(access)) return;
  found_.clear();
  History& history = history_of(*warp.block);
  if (access.ends_by != Asynchronous::none || access.starter >= 0)
    return start(history, warp, op, access);
  Decision(*this, history, warp, op, access).run();
  if (sections_.any_open() && !is_strong(op)) look_in_sections(warp, op, access);
}

void Races::after_access(Warp& warp, const Operation& op, const Access& access) {
  if (access.space == Space::global && launch_->device->uses != nullptr)
    tell_uses(*launch_->device->uses, warp, op, access);
  if (!is_on_ || !is_checked(access)) return;
  if (!found_.empty()) tell(warp, op, access);
  found_.clear();  // system functions call no before_access()
  if (!is_strong(op) && !access.releases) return;
  if (is_strict_) note_sections(warp, op, access);
  History& history = changing_history_of(*warp.block);
  if (access.space == Space::shared && launch_->cluster.count() > 1)
    history.order.orders_in_cluster(warp, op, access, told_);
  history.order.orders(warp, op, access, told_);
  history.renew(warp.index);
}

bool Races::passes(Warp& warp, const Operation& op, Space space, AccessKind kind,
                   std::uint64_t first, std::size_t bytes) {
  if (!is_on_) return true;
  if (sections_.any_open()) return false;
  Access access{space, kind, static_cast<int>(bytes), &first, all_lanes};
  access.owner = warp.block;
  return Decision(*this, history_of(*warp.block), warp, op, access).passes();
}

void Races::after_passing(Warp& warp, const Operation& op, AccessKind kind, Address first,
                          std::size_t bytes) {
  MemoryUses* const uses = launch_->device->uses;
  if (uses == nullptr || !uses->watches(first)) return;
  UseOfMemory(*uses, warp, op, kind, bytes).touch(0, first, bytes * warp_lanes, -1);
}

void Races::on_repeated_loads(Warp& warp, std::span<const Access> accesses,
                              std::span<const RepeatedLoad> loads) {
  History& history = history_of(*warp.block);
  struct Repeated {
    explicit Repeated(const Decision& of) : decision(of) { decision.list_runs(runs); }
    Decision decision;
    Decision::LaneRuns runs;
  };
  std::array<std::optional<Repeated>, most_repeated> all;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    all[i].emplace(Decision(*this, history, warp, *loads.front().op, accesses[i]));
  }
  found_.clear();
  for (const RepeatedLoad& load : loads) {
    Repeated& each = *all[load.access];
    each.decision.run_again(each.runs, *load.op, load.distance);
    if (found_.empty()) continue;
    tell(warp, *load.op, accesses[load.access]);
    found_.clear();
  }
}

/// Records an access in the critical sections of its lanes (race_sections.hpp). Finds races with
/// accesses in other sections of the same lock.
void Races::look_in_sections(Warp& warp, const Operation& op, const Access& access) {
  const Epoch epoch = epoch_of(history_of(*warp.block), warp.index);
  const std::uint64_t operation = std::min<std::uint64_t>(op.index, Touch::most_operations - 1);
  const bool writes = access.kind != AccessKind::load;
  const auto bytes = static_cast<std::uint64_t>(access.bytes);
  const bool was_found = !found_.empty();
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Address begin = access.addresses[lane];
    const unsigned mask = bytes < 4 ? ((1U << bytes) - 1) << (begin & 3) : 15;
    for (Address at = begin & ~Address{3}; at < begin + bytes; at += 4) {
      const Touch touch{Touch::epoch_part(epoch) | operation << Touch::operation_at |
                        Touch::lane_part(lane) | Touch::mask_part(mask)};
      const auto* rival =
          sections_.access(lane_of(warp, lane), place_of(access, at), touch, writes);
      if (rival == nullptr || was_found) continue;
      Found each{rival->touch, lane,  lane,  std::max(at, begin),        !rival->writes,
                 false,        false, false, rival->touch.mask() & mask, {},
                 true};
      each.before = word_at(access, each);
      found_.push_back(each);
    }
  }
}

/// Begins or ends critical sections after a strong access. A compare-and-swap that succeeds begins
/// a section of its lane. A later strong write of the lock's old value ends the section.
void Races::note_sections(const Warp& warp, const Operation& op, const Access& access) {
  if (access.kind == AccessKind::load || access.bytes > 8) return;
  const std::string& name = launch_->code->names[op.index];
  const bool may_begin = name.find(".cas") != std::string::npos && op.dst != Operation::none;
  const bool acquires = name.find(".acq") != std::string::npos;
  using Fence = CriticalSections::Fence;
  const Fence fence = !acquires ? Fence::none : op.narrow ? Fence::block : Fence::device;
  const auto value = [&](std::int32_t operand, int lane) -> std::uint64_t {
    return access.bytes == 8 ? source<std::uint64_t>(warp, operand)[lane]
                             : source<std::uint32_t>(warp, operand)[lane];
  };
  for (Mask left = access.owners(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint64_t now = 0;
    std::memcpy(&now, access.host(lane), static_cast<std::size_t>(access.bytes));
    const std::uint64_t place = place_of(access, access.addresses[lane]);
    if (sections_.end(lane_of(warp, lane), place, now) || !may_begin) continue;
    const std::uint64_t expected = value(op.b, lane);
    if (value(op.dst, lane) == expected && now != expected)
      sections_.begin(lane_of(warp, lane), place, expected, fence);
  }
}

bool Races::carries_data(std::uint32_t operation) {
  const auto known = carrying_.find(operation);
  if (known != carrying_.end()) return known->second;
  return carrying_[operation] = emulator::carries_data(*launch_->code, operation);
}

/// Removes the `lockstep` findings of the current access if all of them concern the same word. A
/// single word is taken for a flag, not for exchanged data.
void Races::drop_flags() {
  const auto is_in_step = [](const Found& each) { return each.is_in_step; };
  const auto first = std::ranges::find_if(found_, is_in_step);
  const auto is_other = [&](const Found& each) {
    return each.is_in_step && each.byte / 4 != first->byte / 4;
  };
  if (std::ranges::none_of(found_, is_other)) std::erase_if(found_, is_in_step);
}

void Races::tell(Warp& warp, const Operation& op, const Access& access) {
  drop_flags();
  std::array<Mask, 3> told{};
  for (const Found& found : found_) {
    const bool is_equal = access.kind == AccessKind::store && !found.reads && !found.is_narrow &&
                          word_at(access, found) == found.before;
    if (!launch_->checks.has(is_equal ? Check::equal_writes : Check::races) &&
        (is_equal || !is_strict_))
      continue;
    const FaultKind kind = found.is_narrow    ? FaultKind::narrow_scope
                           : found.is_in_step ? FaultKind::lockstep
                           : is_equal         ? FaultKind::equal_writes
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
    where = "byte " + std::to_string(launch_->code->without_gaps(found.byte)) + " of shared memory";
    if (access.owner != warp.block)
      where += " of block " + place_text(access.owner->linear, launch_->grid);
  }
  const std::string what(name_of(access.kind));
  return what + " of " + where + ", which " +
         described(found.rival, found.reads, static_cast<int>(found.byte & 3), warp, found.lane) +
         (found.is_narrow    ? ": one of the two is atomic only within its own block"
          : found.is_in_step ? ", and the lanes of a warp need not run in lockstep: put "
                               "__syncwarp() between the two"
          : found.is_unfenced
              ? ", and a fence is missing between one of the two and the compare-and-swap before it"
          : owners_[found.rival.epoch()].time == Owner::never
              ? ", and nothing has waited for its end"
          : found.knows_others
              ? ", and nothing orders the two: another lane of its warp did the release, without "
                "__syncwarp() before it"
              : ", and nothing orders the two");
}

std::string Races::described(Touch rival, bool reads, int byte, const Warp& warp, int lane) const {
  const auto starter = starters_.find(rival.epoch());
  const Owner& owner = starter != starters_.end() ? starter->second : owners_[rival.epoch()];
  const int rival_lane = rival.lane_of(byte);
  const std::uint32_t first = owner.warp * warp_lanes;
  const std::uint32_t thread = first + static_cast<std::uint32_t>(std::max(rival_lane, 0));
  const bool same_block = owner.block == warp.block->linear;
  std::string who = "thread " + place_text(thread, launch_->block);
  if (rival_lane < 0) who = "a thread of warp " + std::to_string(owner.warp);
  const bool is_same = same_block && rival_lane >= 0 && thread == warp.thread(lane);
  if (owner.time == Owner::never) {
    const std::string& name = launch_->code->names[rival.operation()];
    who = name.starts_with("wgmma") ? "a product of warp " + std::to_string(owner.warp)
          : is_same                 ? "a copy of the thread itself"
                                    : "a copy of " + who;
  } else if (is_same)
    who = rival.is(Touch::others) ? "a thread of another warp" : "another thread of its warp";
  if (!same_block) who += " of block " + place_text(owner.block, launch_->grid);
  const std::string does = rival.is(Touch::atomic) ? " accesses atomically"
                           : reads                 ? " reads"
                                                   : " writes";
  return who + does + " at " + line_text(*launch_->code, rival.operation());
}

void Races::on_converge(Warp& warp, const Operation& op, Mask lanes) {
  if (!is_on_) return;
  History& history = changing_history_of(*warp.block);
  // Only bar.warp.sync orders memory.
  if (launch_->code->classes[op.index] != InstructionClass::barrier) {
    history.met[warp.index] = history.order.now(warp.index);
    return;
  }
  for_each_member_mask(warp, op, lanes, [&](Mask same, Mask) { history.order.meets(warp, same); });
  history.renew(warp.index);
}

void Races::on_fence(Warp& warp, bool for_device) {
  if (!is_on_ || (!for_device && !is_strict_)) return;
  History& history = changing_history_of(*warp.block);
  if (for_device)
    history.order.on_fence(warp, warp.active);
  else
    history.order.fences_in_block(warp, warp.active);
  if (sections_.any_open()) {
    using Fence = CriticalSections::Fence;
    for (Mask left = warp.active; left != 0; left &= left - 1)
      sections_.on_fence(lane_of(warp, std::countr_zero(left)),
                         for_device ? Fence::device : Fence::block);
  }
  history.renew(warp.index);
}

void Races::on_barrier_arrive(Warp& warp, const Operation& op, Mask lanes, std::uint32_t barrier) {
  if (!is_on_) return;
  History& history = changing_history_of(*warp.block);
  history.arrived[barrier] |= Mask{1} << warp.index;
  if (barrier != cluster_barrier)
    history.order.on_barrier_arrive(warp, lanes, barrier);
  else if (op.releases)
    history.order.publish(warp, lanes, meetings_[warp.block->cluster.get()].arriving);
  history.renew(warp.index);
}

void Races::on_barrier_release(Warp& warp, Mask lanes, std::uint32_t barrier) {
  if (!is_on_) return;
  History& history = changing_history_of(*warp.block);
  if (barrier == cluster_barrier)
    history.order.learns(warp, lanes, meetings_[warp.block->cluster.get()].met);
  else
    history.order.on_barrier_release(warp, lanes, barrier);
  history.renew(warp.index);
}

void Races::on_exit(Warp& warp, Mask lanes) {
  if (!is_on_) return;
  History& history = changing_history_of(*warp.block);
  history.order.on_exit(warp, lanes);
  if ((warp.live & ~lanes) == 0) history.gone |= Mask{1} << warp.index;
  if (launch_->cluster.count() > 1)
    history.order.publish(warp, lanes, meetings_[warp.block->cluster.get()].arriving);
  history.renew(warp.index);
}

void Races::on_barrier_complete(Block& block, std::uint32_t barrier) {
  if (!is_on_) return;
  if (barrier != cluster_barrier) {
    History& history = changing_history_of(block);
    // A barrier of all threads does not wait for exited warps. It still orders their accesses
    // before what follows the barrier.
    const bool is_of_all =
        barrier < first_warpgroup_barrier && block.barriers[barrier].expected == 0;
    const Mask warps = history.arrived[barrier] | (is_of_all ? history.gone : 0);
    if (is_strict_) sections_.forget(block.linear, warps);
    history.arrived[barrier] = 0;
    return history.order.on_barrier_complete(barrier);
  }
  for (const Block* each : block.cluster->blocks) {
    if (is_strict_ && each != nullptr) sections_.forget(each->linear);
  }
  Meeting& meeting = meetings_[block.cluster.get()];
  meeting.met = meeting.arriving;
}

}  // namespace warpwise::emulator
