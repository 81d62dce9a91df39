#include "warpwise/emulator/instructions/warp_operations.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <string>

#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

enum class Shuffle { up, down, butterfly, index };

/// The lane that each lane reads in a shuffle. A lane reads itself if the source is out of range.
struct Shuffled {
  std::array<int, warp_lanes> from{};
  Mask in_range = 0;
};

template <Shuffle mode>
Shuffled shuffled(const Warp& warp, const Operation& op) {
  const auto* b = source<std::uint32_t>(warp, op.b);
  const auto* c = source<std::uint32_t>(warp, op.c);
  Shuffled result;
  for (int i = 0; i < warp_lanes; ++i) {
    const int distance = static_cast<int>(b[i] & 31);
    const int segment = static_cast<int>(c[i] >> 8 & 31);
    const int last = (i & segment) | (static_cast<int>(c[i] & 31) & ~segment);
    int from = i;
    bool valid = false;
    switch (mode) {
      case Shuffle::up:
        from = i - distance;
        valid = from >= last;
        break;
      case Shuffle::down:
        from = i + distance;
        valid = from <= last;
        break;
      case Shuffle::butterfly:
        from = i ^ distance;
        valid = from <= last;
        break;
      case Shuffle::index:
        from = (i & segment) | (distance & ~segment);
        valid = from <= last;
        break;
    }
    result.from[static_cast<std::size_t>(i)] = valid ? from : i;
    result.in_range |= static_cast<Mask>(valid) << i;
  }
  return result;
}

template <Shuffle mode>
void shuffle(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  const Shuffled lanes = shuffled<mode>(warp, op);
  std::uint32_t out[warp_lanes];
  for (std::size_t i = 0; i < warp_lanes; ++i) out[i] = a[lanes.from[i]];
  write_lanes(warp, op.dst, out);
  if (op.dst2 >= 0) set_predicate(warp, op.dst2, lanes.in_range);
}

Mask voted(const Warp& warp, const Operation& op) { return predicate(warp, op.a, op.a_negated); }

template <class Op>
void vote(Warp& warp, const Operation& op) {
  const Mask who = members(warp, op.b);
  set_predicate(warp, op.dst, Op{}(voted(warp, op) & who, who) ? all_lanes : 0);
}

void ballot(Warp& warp, const Operation& op) {
  std::uint32_t out[warp_lanes];
  std::fill_n(out, warp_lanes, voted(warp, op) & members(warp, op.b));
  write_lanes(warp, op.dst, out);
}

template <class T>
void match_any(Warp& warp, const Operation& op) {
  const T* a = source<T>(warp, op.a);
  const Mask who = members(warp, op.b);
  std::uint32_t out[warp_lanes] = {};
  for (int i = 0; i < warp_lanes; ++i) {
    for (int k = 0; k < warp_lanes; ++k) {
      if ((who >> k & 1) != 0 && a[k] == a[i]) out[i] |= Mask{1} << k;
    }
  }
  write_lanes(warp, op.dst, out);
}

template <class T>
void match_all(Warp& warp, const Operation& op) {
  const T* a = source<T>(warp, op.a);
  const Mask who = members(warp, op.b);
  bool same = true;
  for (int i = 0; i < warp_lanes; ++i) {
    if ((who >> i & 1) != 0) same = same && a[i] == a[std::countr_zero(who)];
  }
  std::uint32_t out[warp_lanes];
  std::fill_n(out, warp_lanes, same ? who : 0);
  write_lanes(warp, op.dst, out);
  if (op.dst2 >= 0) set_predicate(warp, op.dst2, same ? all_lanes : 0);
}

template <class T, class Op>
void reduce(Warp& warp, const Operation& op) {
  const T* a = source<T>(warp, op.a);
  const Mask who = members(warp, op.b);
  if (who == 0) return;
  T result = a[std::countr_zero(who)];
  for (Mask left = who & (who - 1); left != 0; left &= left - 1) {
    result = Op{}(result, a[std::countr_zero(left)]);
  }
  T out[warp_lanes];
  std::fill_n(out, warp_lanes, result);
  write_lanes(warp, op.dst, reinterpret_cast<const std::uint32_t*>(out));
}

/// Runs redux of floats. NaNs are ignored, but with `wins` any NaN makes the result NaN. -0 < +0.
template <bool larger, bool magnitude, bool wins>
void reduce_floats(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  constexpr std::uint32_t sign = 0x80000000;
  constexpr std::uint32_t nan = 0x7fffffff;
  std::uint32_t result = nan;
  bool any_nan = false;
  for (Mask left = members(warp, op.b); left != 0; left &= left - 1) {
    const std::uint32_t word = a[std::countr_zero(left)];
    const std::uint32_t next = magnitude ? word & ~sign : word;
    const float x = std::bit_cast<float>(result);
    const float y = std::bit_cast<float>(next);
    any_nan = any_nan || y != y;
    if (y != y) continue;
    if (x == y)
      result = larger ? result & next : result | next;
    else if (x != x || (y < x) != larger)
      result = next;
  }
  if (wins && any_nan) result = nan;
  std::uint32_t out[warp_lanes];
  std::fill_n(out, warp_lanes, result);
  write_lanes(warp, op.dst, out);
}

template <bool larger>
void add_float_reductions(Table& table, const std::string& name) {
  const std::array<Width, 6> widths = {Width::w32, Width::none, Width::w32, Width::w32};
  table[name + ".f32"] = {reduce_floats<larger, false, false>, widths};
  table[name + ".NaN.f32"] = {reduce_floats<larger, false, true>, widths};
  table[name + ".abs.f32"] = {reduce_floats<larger, true, false>, widths};
  table[name + ".abs.NaN.f32"] = {reduce_floats<larger, true, true>, widths};
}

void active_mask(Warp& warp, const Operation& op) {
  std::uint32_t out[warp_lanes];
  std::fill_n(out, warp_lanes, warp.active);
  write_lanes(warp, op.dst, out);
}

void elect(Warp& warp, const Operation& op) {
  const Mask who = members(warp, op.a);
  const int leader = who != 0 ? std::countr_zero(who) : 0;
  std::uint32_t out[warp_lanes];
  std::fill_n(out, warp_lanes, static_cast<std::uint32_t>(leader));
  write_lanes(warp, op.dst, out);
  set_predicate(warp, op.dst2, Mask{1} << leader);
}

/// Returns the time that a warp reads from one of its clocks. Usually this is `own_time`, plus the
/// time by which livelock detection has set all clocks ahead. While this detection makes the worker
/// hold its clocks (livelock.hpp), each read returns the same time.
std::uint64_t time_shown(Warp& warp, std::size_t which, std::uint64_t own_time) {
  warp.polled = warp.timed = true;
  const Worker& worker = *warp.worker;
  HeldClock& clock = warp.clocks[which];
  if (!worker.holds_clocks || clock.hold != worker.clock_hold)
    clock = {own_time + worker.launch->progress->clock_ahead, worker.clock_hold};
  return clock.value;
}

/// Reads a clock that advances by one with each instruction of the warp.
template <class S>
void clock(Warp& warp, const Operation& op) {
  S out[warp_lanes];
  std::fill_n(out, warp_lanes, static_cast<S>(time_shown(warp, 0, warp.executed)));
  write_lanes(warp, op.dst, out);
}

void global_timer(Warp& warp, const Operation& op) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  std::uint64_t out[warp_lanes];
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  std::fill_n(out, warp_lanes, time_shown(warp, 1, static_cast<std::uint64_t>(nanoseconds)));
  write_lanes(warp, op.dst, out);
}

template <class Observers, bool for_device>
void fence(Warp& warp, const Operation&) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if constexpr (Observers::any) Observers::of(warp).on_fence(warp, for_device);
}
void sleep(Warp& warp, const Operation&) { warp.polled = true; }
void nothing(Warp&, const Operation&) {}

Table make_warp_table() {
  Table table;
  const Width n = Width::none;
  const Width p = Width::predicate;
  const Width w = Width::w32;
  const Width l = Width::w64;
  const auto add_shuffle = [&](const char* mode, Handler handler) {
    table[std::string("shfl.") + mode + ".b32"] = {handler, {w, p, w, w, w, w}};
  };
  add_shuffle("up", shuffle<Shuffle::up>);
  add_shuffle("down", shuffle<Shuffle::down>);
  add_shuffle("bfly", shuffle<Shuffle::butterfly>);
  add_shuffle("idx", shuffle<Shuffle::index>);
  const auto add_vote = [&](const char* name, auto operation) {
    table[name] = {vote<decltype(operation)>, {p, n, p, w}};
  };
  add_vote("vote.all.pred", [](Mask yes, Mask who) { return yes == who; });
  add_vote("vote.any.pred", [](Mask yes, Mask) { return yes != 0; });
  add_vote("vote.uni.pred", [](Mask yes, Mask who) { return yes == who || yes == 0; });
  table["vote.ballot.b32"] = {ballot, {w, n, p, w}};
  table["match.any.b32"] = {match_any<std::uint32_t>, {w, n, w, w}};
  table["match.any.b64"] = {match_any<std::uint64_t>, {w, n, l, w}};
  table["match.all.b32"] = {match_all<std::uint32_t>, {w, p, w, w}};
  table["match.all.b64"] = {match_all<std::uint64_t>, {w, p, l, w}};
  const auto add_reduction = [&]<class T>(const char* name, T, auto operation) {
    table[std::string("redux.") + name] = {reduce<T, decltype(operation)>, {w, n, w, w}};
  };
  using U = std::uint32_t;
  using I = std::int32_t;
  add_reduction("add.u32", U{}, [](U x, U y) { return x + y; });
  add_reduction("add.s32", U{}, [](U x, U y) { return x + y; });
  add_reduction("min.u32", U{}, [](U x, U y) { return x < y ? x : y; });
  add_reduction("max.u32", U{}, [](U x, U y) { return x > y ? x : y; });
  add_reduction("min.s32", I{}, [](I x, I y) { return x < y ? x : y; });
  add_reduction("max.s32", I{}, [](I x, I y) { return x > y ? x : y; });
  add_reduction("and.b32", U{}, [](U x, U y) { return x & y; });
  add_reduction("or.b32", U{}, [](U x, U y) { return x | y; });
  add_reduction("xor.b32", U{}, [](U x, U y) { return x ^ y; });
  add_float_reductions<false>(table, "redux.min");
  add_float_reductions<true>(table, "redux.max");
  table["activemask.b32"] = {active_mask, {w}};
  table["elect"] = {elect, {w, p, w}};
  table["clock"] = {clock<std::uint32_t>, {w}};
  table["clock64"] = {clock<std::uint64_t>, {l}};
  table["globaltimer"] = {global_timer, {l}};
  table["sleep"] = {sleep, {}};
  table["nothing"] = {nothing, {}};
  return table;
}

}  // namespace

std::array<int, warp_lanes> lanes_shuffled_from(const Warp& warp, const Operation& op) {
  if (op.run == shuffle<Shuffle::up>) return shuffled<Shuffle::up>(warp, op).from;
  if (op.run == shuffle<Shuffle::down>) return shuffled<Shuffle::down>(warp, op).from;
  if (op.run == shuffle<Shuffle::butterfly>) return shuffled<Shuffle::butterfly>(warp, op).from;
  return shuffled<Shuffle::index>(warp, op).from;
}

const Table& warp_operations() {
  static const Table table = make_warp_table();
  return table;
}

Handler fence_handler(ObserverSet observers, bool for_device) {
  return with_observers(observers, [for_device](auto set) -> Handler {
    using Set = typename decltype(set)::type;
    return for_device ? fence<Set, true> : fence<Set, false>;
  });
}

}  // namespace warpwise::emulator
