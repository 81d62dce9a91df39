#include "warpwise/emulator/instructions/memory/atomics.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/copies/copy_whole.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

/// Replaces *p by next(*p), in one step if other workers may access *p too. Returns the old value.
template <class T, class Next>
T exchange(std::byte* place, bool shared_with_others, const Next& next) {
  T& target = *reinterpret_cast<T*>(place);
  if (!shared_with_others) {
    const T old = target;
    target = next(old);
    return old;
  }
  std::atomic_ref<T> atom(target);
  T old = atom.load(std::memory_order_relaxed);
  while (!atom.compare_exchange_weak(old, next(old), std::memory_order_acq_rel)) {
  }
  return old;
}

/// Adds two floats, given as their bits. A NaN sum is 0x7fffffff.
struct AddFloats {
  std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t) const {
    const float sum = std::bit_cast<float>(x) + std::bit_cast<float>(y);
    return sum == sum ? std::bit_cast<std::uint32_t>(sum) : 0x7fffffffU;
  }
};

/// Returns the value that an atomic writes to memory of a space. In global memory, a sum of floats
/// treats subnormal operands and results as zeros of the same sign.
template <class Op, class T>
T new_value(Space space, T old, T b, T c) {
  if constexpr (std::is_same_v<Op, AddFloats>) {
    const auto flushed = [](T x) { return (x & 0x7f800000U) == 0 ? x & 0x80000000U : x; };
    if (space == Space::global) return flushed(Op{}(flushed(old), flushed(b), c));
  }
  return Op{}(old, b, c);
}

/// A function that applies an atomic to the memory of its lanes.
using Change = void (*)(Warp& warp, const Operation& op, const Request& request,
                        const Resolved& place);

/// Changes words of an unsigned type T, or each word of a vector. Op(old, b, c) is the new value in
/// memory.
template <class T, class Op>
void change(Warp& warp, const Operation& op, const Request& request, const Resolved& place) {
  using S = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const bool others = request.space == Space::global && warp.worker->launch->atomic;
  const S* c = source<S>(warp, op.c);
  // For a vector, op.list names the registers of the operands, then those of the results.
  const std::int32_t* list = op.list >= 0 ? list_of(warp, op) : nullptr;
  constexpr int most_elements = 8;
  alignas(64) S results[most_elements][warp_lanes];  // written last: registers may be operands too
  for (int e = 0; e < op.count; ++e) {
    const S* b = source<S>(warp, list != nullptr ? list[e] : op.b);
    S* const out = results[e];
    std::fill_n(out, warp_lanes, S{0});
    for (Mask left = place.valid; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      std::byte* to = place.base + place.at[i] + static_cast<std::size_t>(e) * sizeof(T);
      out[i] = exchange<T>(to, others, [&](T old) {
        const T next =
            new_value<Op>(request.space, old, static_cast<T>(b[i]), static_cast<T>(c[i]));
        warp.wrote = warp.wrote || next != old;
        return next;
      });
    }
  }
  for (int e = 0; e < op.count; ++e) {
    const std::int32_t result = list != nullptr ? list[op.count + e] : op.dst;
    if (result >= 0)
      with_lanes(warp, request.lanes, [&] { write_lanes(warp, result, results[e]); });
  }
}

/// Runs an atomic on words of `word_bytes` bytes. Only `change` depends on the type and the
/// operation, so this function is compiled just once for each set of observers.
template <class Observers>
void atomic(Warp& warp, const Operation& op, int word_bytes, Change change) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  note_poll(warp, op, addresses);
  for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
    const Request request{space, AccessKind::atomic, word_bytes * op.count, addresses, lanes};
    serve<Observers>(warp, op, op.site, request,
                     [&](const Resolved& place) { change(warp, op, request, place); });
  });
}

template <class Observers, class T, class Op>
void atomic_of(Warp& warp, const Operation& op) {
  atomic<Observers>(warp, op, static_cast<int>(sizeof(T)), change<T, Op>);
}

/// Exchanges 16 bytes; with `compares` only if memory equals the first operand. The list holds all
/// registers, as pairs of 64 bits.
template <class Observers, bool compares>
void exchange_wide(Warp& warp, const Operation& op) {
  using Wide = std::array<std::uint64_t, 2>;
  // The mutex serialises the exchanges of all workers. Strong loads and stores of vectors do not
  // lock it. They see no half of an exchange, because copy_whole() copies 16 bytes in one access.
  static std::mutex mutex;
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  note_poll(warp, op, addresses);
  const std::int32_t* list = list_of(warp, op);
  const auto at = [&](const std::int32_t* pair, std::size_t i) -> Wide {
    return {source<std::uint64_t>(warp, pair[0])[i], source<std::uint64_t>(warp, pair[1])[i]};
  };
  const std::int32_t* results = list + (compares ? 4 : 2);
  for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
    const Request request{space, AccessKind::atomic, sizeof(Wide), addresses, lanes};
    serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
      alignas(64) std::uint64_t out[2][warp_lanes] = {};
      const std::lock_guard lock(mutex);
      for (Mask left = place.valid; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        Wide old;
        copy_whole(&old, place.base + place.at[i], sizeof(old));
        out[0][i] = old[0];
        out[1][i] = old[1];
        if (compares && old != at(list, i)) continue;
        const Wide next = at(compares ? list + 2 : list, i);
        warp.wrote = warp.wrote || next != old;
        copy_whole(place.base + place.at[i], &next, sizeof(next));
      }
      with_lanes(warp, lanes, [&] {
        for (int part = 0; part < 2; ++part)
          if (results[part] >= 0) write_lanes(warp, results[part], out[part]);
      });
    });
  });
}

template <class T>
constexpr Width width_of() {
  return sizeof(T) == 8 ? Width::w64 : sizeof(T) == 4 ? Width::w32 : Width::w16;
}

// Tables of handlers, one for each set of observers in all_sets. One call of make_atomic_tables()
// fills all of them. A template that fills one table would give each of its lambdas a new type for
// each set. change() would then be compiled for each of these types.
constexpr ObserverSet all_sets[] = {ObserverSet::none, ObserverSet::counts, ObserverSet::checks,
                                    ObserverSet::counts_and_checks, ObserverSet::counts_and_pace};
using Tables = std::map<ObserverSet, Table>;

template <class T, class Op>
void add_atomic(Tables& tables, const std::string& name, Op) {
  const Width w = width_of<T>();
  for (const ObserverSet set : all_sets) {
    const Handler handler = with_observers(
        set, [](auto type) -> Handler { return atomic_of<typename decltype(type)::type, T, Op>; });
    tables[set][name] = {handler, {w, Width::none, Width::w64, w, w}};
  }
}

template <bool compares>
void add_wide_exchange(Tables& tables, const std::string& name) {
  const Width l = Width::w64;
  for (const ObserverSet set : all_sets) {
    const Handler handler = with_observers(set, [](auto type) -> Handler {
      return exchange_wide<typename decltype(type)::type, compares>;
    });
    tables[set][name] = {handler, {l, Width::none, l, l, l}};
  }
}

template <class U, class S>
void add_integer_atomics(Tables& tables, const std::string& bits) {
  for (const char* sign : {"u", "s"}) {
    add_atomic<U>(tables, std::string("add.") + sign + bits, [](U old, U b, U) { return old + b; });
  }
  add_atomic<U>(tables, "min.u" + bits, [](U old, U b, U) { return b < old ? b : old; });
  add_atomic<U>(tables, "max.u" + bits, [](U old, U b, U) { return b > old ? b : old; });
  add_atomic<U>(tables, "min.s" + bits,
                [](U old, U b, U) { return static_cast<S>(b) < static_cast<S>(old) ? b : old; });
  add_atomic<U>(tables, "max.s" + bits,
                [](U old, U b, U) { return static_cast<S>(b) > static_cast<S>(old) ? b : old; });
  add_atomic<U>(tables, "and.b" + bits, [](U old, U b, U) { return old & b; });
  add_atomic<U>(tables, "or.b" + bits, [](U old, U b, U) { return old | b; });
  add_atomic<U>(tables, "xor.b" + bits, [](U old, U b, U) { return old ^ b; });
  add_atomic<U>(tables, "exch.b" + bits, [](U, U b, U) { return b; });
  add_atomic<U>(tables, "cas.b" + bits, [](U old, U b, U c) { return old == b ? c : old; });
  add_atomic<U>(tables, "inc.u" + bits, [](U old, U b, U) { return old >= b ? U{0} : old + 1; });
  add_atomic<U>(tables, "dec.u" + bits,
                [](U old, U b, U) { return old == 0 || old > b ? b : old - 1; });
}

std::uint16_t add_halves(std::uint16_t x, std::uint16_t y) {
  const float sum = to_float(Float16{x}) + to_float(Float16{y});
  return sum == sum ? to_float16(sum).bits : std::uint16_t{0x7fff};
}

std::uint16_t add_bfloats(std::uint16_t x, std::uint16_t y) {
  const float sum = to_float(BFloat16{x}) + to_float(BFloat16{y});
  return sum == sum ? to_bfloat16(sum).bits : std::uint16_t{0x7fff};
}

/// Returns the minimum, or with `larger` the maximum, where -0 < +0. A number wins over a NaN.
template <class Half, bool larger>
std::uint16_t extreme(std::uint16_t x, std::uint16_t y) {
  const float a = to_float(Half{x});
  const float b = to_float(Half{y});
  if (a != a && b != b) return 0x7fff;
  if (a != a) return y;
  if (b != b) return x;
  if (a == b) return larger ? x & y : x | y;
  return (a < b) != larger ? x : y;
}

template <auto operation>
std::uint32_t of_pair(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t low = operation(static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y));
  const std::uint32_t high =
      operation(static_cast<std::uint16_t>(x >> 16), static_cast<std::uint16_t>(y >> 16));
  return high << 16 | low;
}

/// Adds to the tables the handlers of an operation on one 16-bit float ("add.noftz.f16"), and on
/// a pair of them ("add.noftz.f16x2").
template <auto operation>
void add_half_atomics(Tables& tables, const std::string& name) {
  using U = std::uint32_t;
  using H = std::uint16_t;
  add_atomic<H>(tables, name, [](H old, H b, H) { return operation(old, b); });
  add_atomic<U>(tables, name + "x2", [](U old, U b, U) { return of_pair<operation>(old, b); });
}

Tables make_atomic_tables() {
  Tables tables;
  using U = std::uint32_t;
  using L = std::uint64_t;
  using H = std::uint16_t;
  add_integer_atomics<U, std::int32_t>(tables, "32");
  add_integer_atomics<L, std::int64_t>(tables, "64");
  add_atomic<H>(tables, "cas.b16", [](H old, H b, H c) { return old == b ? c : old; });
  add_atomic<U>(tables, "add.f32", AddFloats{});
  add_atomic<L>(tables, "add.f64", [](L old, L b, L) {
    return std::bit_cast<L>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  });
  add_wide_exchange<false>(tables, "exch.b128");
  add_wide_exchange<true>(tables, "cas.b128");
  add_half_atomics<add_halves>(tables, "add.noftz.f16");
  add_half_atomics<add_bfloats>(tables, "add.noftz.bf16");
  add_half_atomics<extreme<Float16, false>>(tables, "min.noftz.f16");
  add_half_atomics<extreme<Float16, true>>(tables, "max.noftz.f16");
  add_half_atomics<extreme<BFloat16, false>>(tables, "min.noftz.bf16");
  add_half_atomics<extreme<BFloat16, true>>(tables, "max.noftz.bf16");
  return tables;
}

}  // namespace

const Table& atomic_operations(ObserverSet observers) {
  static const Tables tables = make_atomic_tables();
  return tables.at(observers);
}

}  // namespace warpwise::emulator
