#include "warpwise/emulator/observe/races.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "warpwise/emulator/execute/faults.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::size_t most_warps = 32;
constexpr std::size_t barriers = 16;
// Clocks of places that order accesses. Places that share one are taken for one place, which hides
// races and invents none.
constexpr std::size_t place_clocks = 64;

/// A warp's time: it advances with each barrier, converging instruction and strong access.
using Time = std::uint32_t;

/// For each warp of the block, the time up to which its accesses are known to have come before.
using Clock = std::array<Time, most_warps>;

void join(Clock& to, const Clock& from) {
  for (std::size_t w = 0; w < most_warps; ++w) to[w] = std::max(to[w], from[w]);
}

}  // namespace

/// One access of a byte; time 0 for none.
struct Races::Touch {
  Time time = 0;
  std::uint32_t operation = 0;
  std::uint16_t thread = 0;
  bool several_lanes = false;  ///< of its warp, in the same time
  bool strong = false;
  bool writes = false;

  std::size_t warp() const { return thread / warp_lanes; }
};

namespace {

std::size_t clock_of(Space space, std::uint64_t address) {
  return (address / 4 + static_cast<std::uint64_t>(space)) % place_clocks;
}

}  // namespace

struct Races::History {
  /// What has happened to one byte: the last write, and the last reads of two warps.
  struct Byte {
    Touch write;
    std::array<Touch, 2> reads;
    std::byte value{};  ///< that the last write left
  };

  /// The bytes that lie beside one another: what is remembered of them together, from the first
  /// touch of one on. Of most blocks it is no more than what they use of their shared memory.
  static constexpr std::size_t page_bytes = 256;
  using Page = std::array<Byte, page_bytes>;

  std::vector<std::unique_ptr<Page>> pages;
  std::array<Clock, most_warps> warps{};
  std::array<Clock, barriers> waiting{};
  std::array<Clock, place_clocks> places{};
  Clock gone{};  ///< of lanes that have exited

  void reset(std::size_t shared_bytes) {
    pages.clear();
    pages.resize((shared_bytes + page_bytes - 1) / page_bytes);
    for (std::size_t w = 0; w < most_warps; ++w) {
      warps[w].fill(0);
      warps[w][w] = 1;
    }
    for (Clock& clock : waiting) clock.fill(0);
    for (Clock& clock : places) clock.fill(0);
    gone.fill(0);
  }

  /// Null for a byte that nobody has touched, nor any beside it.
  const Byte* find(std::size_t at) const {
    const Page* page = pages[at / page_bytes].get();
    return page == nullptr ? nullptr : &(*page)[at % page_bytes];
  }
  Byte& touched(std::size_t at) {
    std::unique_ptr<Page>& page = pages[at / page_bytes];
    if (!page) page = std::make_unique<Page>();
    return (*page)[at % page_bytes];
  }

  Time now(std::uint32_t warp) const { return warps[warp][warp]; }
  void advance(std::uint32_t warp) { ++warps[warp][warp]; }

  /// Whether an earlier touch and one by `thread` now are without an order.
  bool is_concurrent(const Touch& earlier, std::uint32_t thread) const {
    if (earlier.time == 0) return false;
    const std::size_t warp = thread / warp_lanes;
    if (earlier.warp() != warp) return earlier.time > warps[warp][earlier.warp()];
    if (earlier.time != warps[warp][warp]) return false;
    // Of several lanes that wrote the same, this one may be one.
    if (earlier.several_lanes) return !earlier.writes;
    return earlier.thread != thread;
  }

  /// The earlier touch that an access by `thread` races with; null for none.
  const Touch* rival(const Byte& byte, std::uint32_t thread, bool writes, bool strong,
                     std::byte value) const {
    const auto races = [&](const Touch& touch) {
      return is_concurrent(touch, thread) && !(strong && touch.strong);
    };
    const bool same_value = writes && byte.write.time != 0 && byte.value == value;
    if (!same_value && races(byte.write)) return &byte.write;
    if (!writes) return nullptr;
    for (const Touch& read : byte.reads) {
      if (races(read)) return &read;
    }
    return nullptr;
  }

  /// A later touch takes the place of one of its own warp in the same or an earlier time.
  static void replace(Touch& old, Touch touch) {
    touch.several_lanes = old.time == touch.time && old.warp() == touch.warp() &&
                          (old.thread != touch.thread || old.several_lanes);
    old = touch;
  }

  void remember(Byte& byte, const Touch& touch, std::byte value) {
    if (touch.writes) {
      replace(byte.write, touch);
      byte.value = value;
      return;
    }
    for (Touch& read : byte.reads) {
      if (read.time == 0 || read.warp() == touch.warp()) return replace(read, touch);
    }
    // Those that every later write has to come behind anyway are forgotten first.
    const bool first_is_ordered = !is_concurrent(byte.reads[0], touch.thread);
    replace(byte.reads[first_is_ordered ? 0 : 1], touch);
  }

  /// A strong access comes behind the earlier ones of its place, and before the later ones.
  void order(std::uint32_t warp, const Access& access) {
    for (Mask left = access.lanes; left != 0; left &= left - 1) {
      Clock& place = places[clock_of(access.space, access.addresses[std::countr_zero(left)])];
      join(warps[warp], place);
      join(place, warps[warp]);
    }
    advance(warp);
  }
};

Races::Races(const Launch& launch) : Observer(launch), launch_(&launch) {}
Races::Races(Races&&) noexcept = default;
Races::~Races() = default;

Races::History& Races::history_of(const Block& block) {
  if (last_block_ != &block) {
    last_block_ = &block;
    last_history_ = histories_.at(&block).get();
  }
  return *last_history_;
}

void Races::begins(Block& block) {
  std::unique_ptr<History>& history = histories_[&block];
  if (unused_.empty()) {
    history = std::make_unique<History>();
  } else {
    history = std::move(unused_.back());
    unused_.pop_back();
  }
  history->reset(block.shared.size());
  last_block_ = nullptr;
}

void Races::ends(Block& block) {
  const auto found = histories_.find(&block);
  found->second->pages.clear();
  unused_.push_back(std::move(found->second));
  histories_.erase(found);
  last_block_ = nullptr;
}

void Races::accesses(Warp& warp, const Operation& op, const Access& access) {
  History& history = history_of(*warp.block);
  if (access.space == Space::shared) {
    // All lanes are compared with what came before this instruction; then all are remembered.
    compare(history, warp, op, access);
    remember(history, warp, op, access);
  }
  if (op.strong && access.space != Space::local && access.space != Space::parameter)
    history.order(warp.index, access);
  // What such an instruction reads for other lanes is read when it is done.
  if (op.control == Control::converge) history.advance(warp.index);
}

void Races::compare(const History& history, Warp& warp, const Operation& op,
                    const Access& access) const {
  const bool writes = access.kind != AccessKind::load;
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::byte* values = access.host(lane);
    for (std::size_t k = 0; k < static_cast<std::size_t>(access.bytes); ++k) {
      const std::size_t at = access.addresses[lane] + k;
      const History::Byte* byte = history.find(at);
      if (byte == nullptr) continue;
      const Touch* rival = history.rival(*byte, warp.thread(lane), writes, op.strong, values[k]);
      if (rival == nullptr) continue;
      record_fault(warp, op, FaultKind::race, lane,
                   std::string(writes ? "write" : "read") + " of byte " + std::to_string(at) +
                       " of shared memory, which " + described(*rival, warp.thread(lane)) +
                       ", and nothing orders the two");
      break;
    }
  }
}

void Races::remember(History& history, Warp& warp, const Operation& op, const Access& access) {
  const bool writes = access.kind != AccessKind::load;
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::byte* values = access.host(lane);
    const Touch touch{history.now(warp.index),
                      op.index,
                      static_cast<std::uint16_t>(warp.thread(lane)),
                      false,
                      op.strong,
                      writes};
    for (std::size_t k = 0; k < static_cast<std::size_t>(access.bytes); ++k)
      history.remember(history.touched(access.addresses[lane] + k), touch, values[k]);
  }
}

std::string Races::described(const Touch& rival, std::uint32_t thread) const {
  const Dim3 at = place_in(rival.thread, launch_->block);
  const std::string who = rival.thread == thread
                              ? "another thread of its warp"
                              : "thread (" + std::to_string(at.x) + "," + std::to_string(at.y) +
                                    "," + std::to_string(at.z) + ")";
  const ptx::SourceLine& line = launch_->code->lines[rival.operation];
  return who + (rival.writes ? " writes" : " reads") + " at " + launch_->code->file_of(line) + ":" +
         std::to_string(line.line);
}

void Races::converges(Warp& warp, const Operation&, Mask) {
  history_of(*warp.block).advance(warp.index);
}

void Races::arrives(Warp& warp, const Operation&, Mask, std::uint32_t barrier) {
  History& history = history_of(*warp.block);
  join(history.waiting[barrier], history.warps[warp.index]);
  history.advance(warp.index);
}

void Races::passes(Warp& warp, Mask, std::uint32_t barrier) {
  History& history = history_of(*warp.block);
  join(history.warps[warp.index], history.waiting[barrier]);
  join(history.warps[warp.index], history.gone);
}

void Races::leaves(Warp& warp, Mask) {
  // A barrier that no longer waits for lanes comes behind all that they did.
  History& history = history_of(*warp.block);
  join(history.gone, history.warps[warp.index]);
  history.advance(warp.index);
}

void Races::completes(Block& block, std::uint32_t barrier) {
  history_of(block).waiting[barrier].fill(0);
}

}  // namespace warpwise::emulator
