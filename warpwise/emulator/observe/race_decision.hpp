#pragma once

// Internal to the race check: compares one access with earlier ones.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "warpwise/emulator/observe/race_words.hpp"
#include "warpwise/emulator/observe/races.hpp"

namespace warpwise::emulator {

struct Races::History {
  BlockOrder order;
  Shadow shared;
  PendingAccesses pending;
  std::array<Epoch, most_warps> epochs{};          ///< current epoch of each warp; 0: none yet
  std::array<Epoch, most_warps> pending_epochs{};  ///< epoch of each warp's unfinished copies
  std::array<Time, most_warps> met{};              ///< time of each warp's last shuffle or vote
  std::array<Mask, all_barriers> arrived{};        ///< a bit for each warp at a barrier
  Mask gone = 0;    ///< a bit for each warp whose lanes have all exited
  Epoch first = 1;  ///< first epoch of the block; earlier ones belong to other blocks

  /// Ends a warp's epoch, after its clock has changed.
  void renew(std::size_t warp) { epochs[warp] = 0; }
};

/// An earlier access that is unordered with the current one.
struct Races::Found {
  Touch rival;
  int lane = 0;
  int piece = 0;              ///< piece of the current access; usually equal to its lane
  std::uint64_t byte = 0;     ///< address of a byte that both touch
  bool reads = false;         ///< the rival is a read
  bool is_narrow = false;     ///< both are strong, but at least one only within its block
  bool is_in_step = false;    ///< both are volatile accesses of one warp
  bool knows_others = false;  ///< other lanes of the rival's warp precede the current access
  unsigned mask = 0;          ///< bytes of the word that both touch
  std::array<std::byte, 4> before{};
  bool is_unfenced = false;  ///< both are in sections of one lock, and a fence is missing
};

/// Returns a word's content in memory, at the bytes that an access shares with its rival.
template <class Found>
std::array<std::byte, 4> word_at(const Access& access, const Found& found) {
  std::array<std::byte, 4> word{};
  for (std::size_t k = 0; k < word.size(); ++k) {
    if ((found.mask >> k & 1) == 0) continue;
    // A word may reach beyond the lane's own bytes, but its memory is contiguous.
    const std::uint64_t address = (found.byte & ~std::uint64_t{3}) + k;
    word[k] = access.host(
        found.piece)[static_cast<std::int64_t>(address - access.addresses[found.piece])];
  }
  return word;
}

/// Compares an access with earlier ones, and records it.
class Races::Decision {
 public:
  [[gnu::always_inline]] Decision(Races& races, History& history, Warp& warp, const Operation& op,
                                  const Access& access)
      : races_(races), history_(history), order_(history.order), warp_(warp), access_(access),
        shadow_(access.space == Space::shared ? races.history_of(*access.owner).shared
                                              : races.global_),
        past_(history.order.past_of(warp.index, access.owners())),
        epoch_(races.epoch_of(history, warp.index)),
        floor_(Touch::epoch_part(
            access.space == Space::shared ? races.history_of(*access.owner).first : 1)),
        writes_(access.kind != AccessKind::load) {
    base_ = base_of(op);
  }

  void run() {
    if (are_neighbours()) {
      run_contiguous(0, warp_lanes, 0);
    } else if (!writes_) {
      LaneRuns runs;
      list_runs(runs);
      read(runs);
    } else if (access_.steady && step() == 0 && bytes() >= 4) {
      write_of_all();
    } else if (access_.steady && step() >= 4 && step() <= ~std::uint64_t{3}) {
      each_lane(access_.lanes, 0, true, true);  // no word has two lanes
    } else {
      // First compares all lanes with accesses before this instruction, then records all of them.
      each_lane(access_.lanes, 0, true, false);
      each_lane(access_.lanes, 0, false, true);
    }
  }

  /// Does run() for 32 lanes of adjacent addresses, given that of the first lane. Returns false and
  /// records nothing if a report may be necessary, or if the addresses lie in two pages.
  bool passes() {
    const std::uint64_t begin = address_of(0);
    const std::uint64_t end = begin + bytes() * warp_lanes;
    static_assert(most_passing_bytes * warp_lanes <= 4 * most_words);
    const bool is_one_page = begin / ShadowPage::bytes == (end - 1) / ShadowPage::bytes;
    return is_one_page && touch_run<false>(run_of(0, 0), begin, end);
  }

  /// Lanes of a read that are looked at together: they read one address, or adjacent ones.
  struct LaneRun {
    std::int8_t first;
    std::int8_t end;
    bool same;   ///< one address
    bool again;  ///< they repeat what earlier lanes read
  };
  struct LaneRuns {
    std::size_t count = 0;
    std::array<LaneRun, warp_lanes> all;  ///< the first `count` are set
    void add(const LaneRun& run) { all[count++] = run; }
  };

  /// Splits the lanes of a read into runs. The addresses may repeat with a period of fewer than 32
  /// lanes, as in a tile of fewer than 32 columns. The runs then have only the last period's lanes.
  /// These stand for the other lanes, because reads do not race with each other.
  void list_runs(LaneRuns& runs) const {
    if (are_neighbours()) return runs.add({0, warp_lanes, false, false});
    if (access_.steady && step() == 0) return runs.add({0, warp_lanes, true, false});
    const bool is_whole = bytes() >= 4;
    const int period = is_whole && access_.lanes == all_lanes ? period_of_lanes() : warp_lanes;
    for (int lane = warp_lanes - period; lane < warp_lanes;) {
      const int first = lane++;
      if (!is_active(first)) continue;
      const std::uint64_t step =
          is_active(lane) ? access_.addresses[lane] - access_.addresses[first] : ~std::uint64_t{0};
      if (step == 0 || step == bytes()) lane = end_of_run(first, step);
      runs.add({static_cast<std::int8_t>(first), static_cast<std::int8_t>(lane),
                step == 0 && lane - first > 1, period < warp_lanes});
    }
  }

  void read(const LaneRuns& runs) {
    for (std::size_t i = 0; i < runs.count; ++i) {
      const LaneRun run = runs.all[i];
      const std::uint64_t flags = run.again ? Touch::several : 0;
      if (run.same)
        read_by(run.end - 1, Touch::several);
      else if (run.end - run.first == 1)
        read_by(run.first, flags);
      else
        run_contiguous(run.first, run.end, flags);
    }
  }

  /// Does run() for another load, whose addresses differ from the first load's by `distance`.
  /// \param runs  the runs of the first load
  void run_again(const LaneRuns& runs, const Operation& op, std::uint64_t distance) {
    distance_ = distance;
    base_ = base_of(op);
    read(runs);
  }

  /// Compares an access of a copy or product with earlier ones, and records it in a given epoch.
  void run_in(Epoch epoch) {
    each_piece(true, false);
    base_ = (base_ & ~Touch::epoch_bits) | Touch::epoch_part(epoch);
    each_piece(false, true);
  }

  Epoch epoch() const { return epoch_; }

 private:
  std::uint64_t base_of(const Operation& op) const {
    const std::uint64_t operation = std::min<std::uint64_t>(op.index, Touch::most_operations - 1);
    return Touch::epoch_part(epoch_) | operation << Touch::operation_at |
           (races_.is_strong(op) || access_.releases ? Touch::strong : 0) |
           (op.narrow ? Touch::narrow : 0) |
           (access_.kind == AccessKind::atomic ? Touch::atomic : 0);
  }
  bool are_neighbours() const {
    return access_.place->contiguous || (access_.steady && step() == bytes());
  }
  std::uint64_t address_of(int lane) const { return access_.addresses[lane] + distance_; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(access_.bytes); }
  std::uint64_t step() const { return access_.addresses[1] - access_.addresses[0]; }

  /// Returns the touches of adjacent lanes from `first` on.
  TouchRun run_of(int first, std::uint64_t flags) const {
    const int size = std::countr_zero(bytes());
    TouchRun run;
    run.base = base_ | flags | Touch::mask_bits | Touch::lane_part(first);
    if (size >= 2) {
      run.right = size - 2;
    } else {
      run.left = 2 - size;
      run.base |= Touch::layout_part(size == 0 ? Touch::lane_of_each : Touch::lane_of_two);
      // The run may begin inside the word. The base belongs to the word's first byte.
      run.base -= (address_of(first) & 3) >> size << Touch::lane_at;
    }
    return run;
  }

  /// Processes adjacent lanes from `first` up to but not including `last`.
  void run_contiguous(int first, int last, std::uint64_t flags) {
    const std::uint64_t begin = address_of(first);
    const std::uint64_t end = begin + bytes() * static_cast<std::uint64_t>(last - first);
    TouchRun run = run_of(first, flags);
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t stop = std::min(
          {end, (at | (ShadowPage::bytes - 1)) + 1, (at & ~std::uint64_t{3}) + 4 * most_words});
      run.place = at / 4 - begin / 4;
      touch_run<true>(run, at, stop);
      at = stop;
    }
  }

  /// Looks at and records consecutive words of one page. The instruction touches their bytes from
  /// `begin` up to but not including `end`. If `reports` is false and a report may be necessary,
  /// returns false and records nothing.
  template <bool reports>
  bool touch_run(const TouchRun& run, std::uint64_t begin, std::uint64_t end) {
    ShadowPage& page = shadow_.page_of(begin);
    prepare(page);
    const std::size_t word = begin / 4 % ShadowPage::words;
    const std::size_t count = (end + 3) / 4 - begin / 4;
    RunTouches now(run, count, begin, end);
    const WordSet words = ~WordSet{0} >> (most_words - count);
    const auto precede = [&](const std::unique_ptr<ShadowPage::Touches>& old) {
      return old == nullptr || all_precede(old->data() + word, now, words);
    };
    if (!precede(page.writes) || (writes_ && !precede(page.reads))) {
      if constexpr (!reports) return false;
      for (std::size_t i = 0; i < count; ++i)
        touch_word(page, (begin & ~std::uint64_t{3}) + 4 * i, {now.all()[i]}, true, false);
    }
    if (writes_)
      keep_writes(page.writes->data() + word, now, words);
    else
      keep_reads(page.reads->data() + word, now, words);
    return true;
  }

  /// Returns true if the old touches of all `words` precede the current access or are of the same
  /// lanes. If it returns false, each word must be looked at.
  bool all_precede(const std::uint64_t* old, RunTouches& now, WordSet words) {
    while (words != 0) {
      const Touch first{old[std::countr_zero(words)]};
      if (first.bits < floor_) {
        words &= ~touch_loops.in_range(old, words, {0, floor_});
        continue;
      }
      const TouchRange epoch = TouchRange::of_epoch(first.epoch());
      WordSet done = 0;
      if (first.epoch() == epoch_)
        done = touch_loops.repeated(old, now.all(), words, epoch);
      else if (lanes_before(first.epoch()).are == all_lanes)
        done = touch_loops.in_range(old, words, epoch);
      if (done == 0) return false;
      words &= ~done;
    }
    return true;
  }

  /// Does keep_read() for some words.
  void keep_reads(std::uint64_t* old, RunTouches& now, WordSet words) {
    while (words != 0) {
      const auto word = static_cast<std::size_t>(std::countr_zero(words));
      const Touch first{old[word]};
      const TouchRange epoch = TouchRange::of_epoch(first.epoch());
      WordSet done = 0;
      if (first.bits < floor_) {
        done = touch_loops.replace(old, now.all(), words, {0, floor_});
      } else if (first.epoch() == epoch_) {
        done = touch_loops.merge(old, now.all(), words, epoch);
      } else if (const Before before = lanes_before(first.epoch()); before.are == all_lanes) {
        done = touch_loops.replace(old, now.all(), words, epoch);
      } else if (is_unordered(before, {first.bits | base_})) {
        done = touch_loops.add_others(old, words, epoch);
      } else {
        keep_read(old[word], {now.all()[word]});
        done = WordSet{1} << word;
      }
      words &= ~done;
    }
  }

  void keep_writes(std::uint64_t* old, RunTouches& now, WordSet words) const {
    words &= ~touch_loops.merge(old, now.all(), words, TouchRange::of_epoch(epoch_));
    if (words != 0) touch_loops.replace(old, now.all(), words, {0, ~std::uint64_t{0} >> 1});
  }

  /// Checks a read by one lane against earlier writes, and records it.
  void read_by(int lane, std::uint64_t flags) {
    if (bytes() != 4) return each_lane(Mask{1} << lane, flags, true, true);
    const std::uint64_t address = address_of(lane);
    const Touch touch{base_ | flags | Touch::mask_bits | Touch::lane_part(lane)};
    ShadowPage& page = shadow_.page_of(address);
    prepare(page);
    const std::size_t word = address / 4 % ShadowPage::words;
    if (page.writes != nullptr) {
      const Touch old{(*page.writes)[word]};
      const bool precedes = old.bits < floor_ ||
                            (old.epoch() != epoch_ && lanes_before(old.epoch()).are == all_lanes);
      if (!precedes) decide(old, touch, address, false);
    }
    keep_read((*page.reads)[word], touch);
  }

  void each_lane(Mask lanes, std::uint64_t flags, bool looks, bool keeps) {
    const bool is_part = bytes() < 4;
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::uint64_t address = address_of(lane);
      const unsigned mask = is_part ? ((1U << bytes()) - 1) << (address & 3) : 15;
      touch_words(address, {base_ | flags | Touch::mask_part(mask) | Touch::lane_part(lane)}, looks,
                  keeps);
    }
  }

  /// Checks a write to one place by all lanes. First compares the lanes together, with the accesses
  /// that precede all of them. If that finds a conflict, compares the lanes one by one, because
  /// more accesses may precede a single lane.
  void write_of_all() {
    const Mask last = Mask{1} << (warp_lanes - 1);
    each_lane(last, Touch::several, true, false);
    if (!races_.found_.empty()) {
      races_.found_.clear();
      each_lane(access_.lanes, 0, true, false);
    }
    each_lane(last, Touch::several, false, true);
  }

  /// Returns the end of the run of active lanes from `first` whose addresses differ by `step`. The
  /// run has at least two lanes. First checks an aligned half or quarter of a warp, and returns its
  /// end if it matches.
  int end_of_run(int first, std::uint64_t step) const {
    for (const int lanes : {16, 8}) {
      const Mask run = ((Mask{1} << lanes) - 1) << first;
      if (first % lanes != 0 || (access_.lanes & run) != run) continue;
      const std::uint64_t* const addresses = access_.addresses + first;
      std::uint64_t expected = addresses[0];
      std::uint64_t different = 0;
      for (int i = 0; i < lanes; ++i) {
        different |= addresses[i] ^ expected;
        expected += step;
      }
      if (different == 0) return first + lanes;
    }
    int lane = first + 2;
    while (is_active(lane) && access_.addresses[lane] - access_.addresses[lane - 1] == step) ++lane;
    return lane;
  }

  bool is_active(int lane) const { return lane < warp_lanes && (access_.lanes >> lane & 1) != 0; }

  /// Returns the period of the lanes' addresses: 4, 8, 16, or 32 if they do not repeat.
  int period_of_lanes() const {
    int period = warp_lanes;
    for (int half = warp_lanes / 2; half >= 4; half /= 2) {
      std::uint64_t different = access_.addresses[0] ^ access_.addresses[half];
      if (different != 0) break;  // the usual case
      for (int lane = 0; lane < warp_lanes - half; ++lane)
        different |= access_.addresses[lane] ^ access_.addresses[lane + half];
      if (different != 0) break;
      period = half;
    }
    return period;
  }

  void each_piece(bool looks, bool keeps) {
    for (Mask left = access_.lanes; left != 0; left &= left - 1) {
      piece_ = std::countr_zero(left);
      const std::uint64_t address = access_.addresses[piece_];
      const int lane = access_.starter >= 0 ? access_.starter : piece_;
      const unsigned mask = bytes() < 4 ? ((1U << bytes()) - 1) << (address & 3) : 15;
      touch_words(address, {base_ | Touch::mask_part(mask) | Touch::lane_part(lane)}, looks, keeps);
    }
  }

  void touch_words(std::uint64_t address, Touch touch, bool looks, bool keeps) {
    // An aligned access lies in one page.
    ShadowPage& page = shadow_.page_of(address);
    prepare(page);
    for (std::uint64_t at = address & ~std::uint64_t{3}; at < address + bytes(); at += 4)
      touch_word(page, at, touch, looks, keeps);
  }

  void prepare(ShadowPage& page) const {
    auto& touches = writes_ ? page.writes : page.reads;
    if (touches == nullptr) touches = std::make_unique<ShadowPage::Touches>();
  }

  void touch_word(ShadowPage& page, std::uint64_t address, Touch touch, bool looks, bool keeps) {
    const std::size_t word = address / 4 % ShadowPage::words;
    if (looks) {
      if (page.writes) decide(Touch{(*page.writes)[word]}, touch, address, false);
      if (writes_ && page.reads) decide(Touch{(*page.reads)[word]}, touch, address, true);
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
      return;
    }
    if (((old ^ touch.bits) & Touch::epoch_bits) == 0) {
      old = merged({old}, touch).bits;
      return;
    }
    const Before before = lanes_before(Touch{old}.epoch());
    if (before.are == all_lanes) {
      old = touch.bits;
    } else if (is_unordered(before, {old | touch.bits})) {
      old |= Touch::others;
    } else {
      keep_read_of_lanes(old, touch);
    }
  }

  /// Returns true in the usual case: the old read is of another warp, no lane of which precedes the
  /// new read, and neither read is strong. \param both  the bits of both reads
  static bool is_unordered(const Before& before, Touch both) {
    return before.are == 0 && !before.of_own_warp && !both.is(Touch::strong);
  }

  [[gnu::noinline]] void keep_read_of_lanes(std::uint64_t& old, Touch touch) {
    if (precedes({old}, touch, true) || Touch{old}.is(Touch::strong) || repeats({old}, touch)) {
      // Drops the older read, because a write that is ordered after the new read follows both.
      old = touch.bits;
    } else if (!touch.is(Touch::strong)) {
      old |= is_of_same_warp({old}, touch) ? Touch::several : Touch::others;
    }
  }

  /// Returns true if both are reads of the same bytes by the same warp. The older one may stand for
  /// both without false reports: an access ordered after the newer one is ordered after it too.
  bool is_of_same_warp(Touch old, Touch touch) {
    return lanes_before(old.epoch()).of_own_warp && old.mask() == touch.mask() &&
           ((old.bits | touch.bits) & Touch::layout_bits) == 0;
  }

  void decide(Touch old, Touch touch, std::uint64_t address, bool reads) {
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
    if (precedes(old, touch, reads)) return;
    if (old.is(Touch::strong) && touch.is(Touch::strong)) {
      const bool narrow = old.is(Touch::narrow) || touch.is(Touch::narrow);
      if (narrow && races_.owners_[old.epoch()].block != order_.block())
        found(old, touch, address, reads, true);
      else if (access_.space == Space::shared && is_exchange(old, touch, reads))
        found(old, touch, address, reads, false, true);
      return;
    }
    found(old, touch, address, reads, false);
  }

  [[gnu::noinline]] Before before_by(const Past& past, Epoch epoch) const {
    const Owner& owner = races_.owners_[epoch];
    const bool of_own_block = owner.block == order_.block();
    const Mask lanes = past.lanes_at(of_own_block, owner.block, owner.warp, owner.time);
    // In an epoch of starters_, the owner is a warp that has seen copies end. The copies' touches
    // name lanes of the warp that started them. These lanes cannot be compared with `lanes`, which
    // are the owner's. If any lane of the owner precedes, all touches count as preceding.
    const bool is_copy = lanes != 0 && lanes != all_lanes && races_.starters_.contains(epoch);
    const bool of_own_warp =
        of_own_block && owner.warp == warp_.index && owner.time != Owner::never;
    return {is_copy ? all_lanes : lanes, of_own_warp,
            of_own_warp && owner.time < history_.met[warp_.index]};
  }

  Before lanes_before(Epoch epoch) {
    Verdicts& verdicts = races_.verdicts_;
    if (verdicts.past != &past_) {
      verdicts.past = &past_;
      verdicts.epochs.fill(0);
    }
    const std::size_t at = epoch % verdicts.epochs.size();
    if (verdicts.epochs[at] != epoch) {
      verdicts.epochs[at] = epoch;
      verdicts.before[at] = before_by(past_, epoch);
    }
    return verdicts.before[at];
  }

  /// Returns true if a touch of another epoch precedes the current one, or if that is unknown.
  /// \param reads  the old one is a read
  bool precedes(Touch old, Touch touch, bool reads) {
    const Before before = lanes_before(old.epoch());
    if (before.are == all_lanes) return true;
    if (before.are == 0 && !before.of_own_warp) return false;
    return precedes_by_lanes(before, old, touch, reads);
  }

  [[gnu::noinline]] static bool precedes_by_lanes(Before before, Touch old, Touch touch,
                                                  bool reads) {
    // It is no race if lanes poll a word, agree by a vote, and one of them then overwrites it.
    if (before.met && reads && old.is(Touch::strong) && !touch.is(Touch::strong)) return true;
    const bool by_one = before.of_own_warp && !touch.is(Touch::several);
    unsigned left = old.mask() & touch.mask();
    if (old.is(Touch::several)) {
      // Several lanes wrote the old value. The current lane may be the one whose write won.
      if (before.of_own_warp && !reads && !old.is(Touch::strong)) return true;
      const int lane = by_one ? touch.lane_of(std::countr_zero(left)) : -1;
      return std::popcount(before.are | (lane < 0 ? 0 : Mask{1} << lane)) > 1;
    }
    // With the layout one_lane, one byte stands for all.
    if (((old.bits | touch.bits) & Touch::layout_bits) == 0) left &= 0 - left;
    for (; left != 0; left &= left - 1) {
      const int byte = std::countr_zero(left);
      const int lane = old.lane_of(byte);
      if (!is_of(before.are, lane) && !(by_one && lane == touch.lane_of(byte))) return false;
    }
    return true;
  }

  /// Returns true if both touches are reads by several lanes, and of the same warp.
  bool repeats(Touch old, Touch touch) {
    return old.is(Touch::several) && touch.is(Touch::several) &&
           lanes_before(old.epoch()).of_own_warp;
  }

  /// Returns true if a lane is one of `lanes`, or if it is unknown (negative).
  static bool is_of(Mask lanes, int lane) { return lane < 0 || (lanes >> lane & 1) != 0; }

  /// Returns true if two unordered volatile accesses of a warp exchange data. A value that only
  /// decides a branch is a flag, not data.
  bool is_exchange(Touch old, Touch touch, bool reads) {
    const auto& operations = races_.launch_->code->operations;
    if (!lanes_before(old.epoch()).of_own_warp) return false;
    if (!operations[old.operation()].is_volatile || !operations[touch.operation()].is_volatile)
      return false;
    if (reads) return races_.carries_data(old.operation());
    return !writes_ && races_.carries_data(touch.operation());
  }

  void found(Touch old, Touch touch, std::uint64_t address, bool reads, bool is_narrow,
             bool is_in_step = false) {
    Found each{old, 0, 0, address, reads, is_narrow, is_in_step, false, old.mask() & touch.mask(),
               {}};
    each.byte += static_cast<std::uint64_t>(std::countr_zero(each.mask));
    if (touch.is(Touch::several)) {
      for (Mask left = access_.lanes; left != 0; left &= left - 1) {
        each.lane = each.piece = std::countr_zero(left);
        if (each.byte - address_of(each.lane) < bytes()) add(each);
      }
      return;
    }
    for (unsigned left = each.mask; left != 0; left &= left - 1) {
      const int lane = touch.lane_of(std::countr_zero(left));
      if (lane == each.lane && left != each.mask) continue;
      each.lane = lane;
      each.piece = access_.starter >= 0 ? piece_ : lane;
      each.byte = address + static_cast<std::uint64_t>(std::countr_zero(left));
      add(each);
    }
  }

  void add(Found each) {
    const int rival = each.rival.lane_of(static_cast<int>(each.byte & 3));
    if (each.rival.epoch() == epoch_) {
      if (!each.rival.is(Touch::several | Touch::others) && rival == each.lane) return;
    } else if (!each.rival.is(Touch::several)) {
      // This lane may know of more accesses than all lanes have in common.
      const Before before =
          before_by(order_.past_of(warp_.index, Mask{1} << each.lane), each.rival.epoch());
      if (is_of(before.are, rival) || (before.of_own_warp && rival == each.lane)) return;
      each.knows_others = before.are != 0 && !before.of_own_warp;
    }
    each.before = word_at(access_, each);
    races_.found_.push_back(each);
  }

  Races& races_;
  History& history_;
  BlockOrder& order_;
  Warp& warp_;
  const Access& access_;
  Shadow& shadow_;
  const Past& past_;  ///< what all lanes of the access know
  Epoch epoch_;
  std::uint64_t floor_;
  std::uint64_t base_ = 0;
  std::uint64_t distance_ = 0;  ///< added to the addresses of the access
  bool writes_;
  int piece_ = 0;  ///< current piece of each_piece()
};

}  // namespace warpwise::emulator
