#include "warpwise/emulator/instructions/memory/atomics.hpp"

#include <array>
#include <atomic>
#include <bit>
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

/// Does old = *p; *p = next(old), in one step if other workers may access it too.
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

/// The sum of two floats.
struct AddFloats {
  std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t) const {
    const float sum = std::bit_cast<float>(x) + std::bit_cast<float>(y);
    return sum == sum ? std::bit_cast<std::uint32_t>(sum) : 0x7fffffffU;
  }
};

/// Returns the new value in a space's memory. Subnormal operands and sums of floats are zeros in
/// global memory, with their sign.
template <class Op, class T>
T new_value(Space space, T old, T b, T c) {
  if constexpr (std::is_same_v<Op, AddFloats>) {
    const auto flushed = [](T x) { return (x & 0x7f800000U) == 0 ? x & 0x80000000U : x; };
    if (space == Space::global) return flushed(Op{}(flushed(old), flushed(b), c));
  }
  return Op{}(old, b, c);
}

/// An atomic on words of type T (unsigned, of the type's width), or on each word of a vector.
/// Op(old, b, c) is the new value in memory.
template <class Observers, class T, class Op>
void atomic(Warp& warp, const Operation& op) {
  using S = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  note_poll(warp, op, addresses);
  const S* c = source<S>(warp, op.c);
  // A vector's operands, then its results.
  const std::int32_t* list = op.list >= 0 ? list_of(warp, op) : nullptr;
  const int bytes = static_cast<int>(sizeof(T)) * op.count;
  for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
    const Request request{space, AccessKind::atomic, bytes, addresses, lanes};
    const bool others = space == Space::global && warp.worker->launch->atomic;
    serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
      for (int e = 0; e < op.count; ++e) {
        const S* b = source<S>(warp, list != nullptr ? list[e] : op.b);
        const std::int32_t result = list != nullptr ? list[op.count + e] : op.dst;
        alignas(64) S out[warp_lanes] = {};
        for (Mask left = place.valid; left != 0; left &= left - 1) {
          const int i = std::countr_zero(left);
          std::byte* to = place.base + place.at[i] + static_cast<std::size_t>(e) * sizeof(T);
          out[i] = exchange<T>(to, others, [&](T old) {
            const T next = new_value<Op>(space, old, static_cast<T>(b[i]), static_cast<T>(c[i]));
            warp.wrote = warp.wrote || next != old;
            return next;
          });
        }
        if (result >= 0) with_lanes(warp, lanes, [&] { write_lanes(warp, result, out); });
      }
    });
  });
}

/// An exchange of 16 bytes, or of 16 bytes that equal the first operand. All registers are in the
/// list, as pairs of 64 bits.
template <class Observers, bool compares>
void exchange_wide(Warp& warp, const Operation& op) {
  using Wide = std::array<std::uint64_t, 2>;
  // Exchanges of this size exclude each other. Other accesses read and write whole values.
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

template <class Observers, class T, class Op>
void add_atomic(Table& table, const std::string& name, Op) {
  const Width w = width_of<T>();
  table[name] = {atomic<Observers, T, Op>, {w, Width::none, Width::w64, w, w}};
}

template <class Observers, class U, class S>
void add_integer_atomics(Table& table, const std::string& bits) {
  for (const char* sign : {"u", "s"}) {
    add_atomic<Observers, U>(table, std::string("add.") + sign + bits,
                             [](U old, U b, U) { return old + b; });
  }
  add_atomic<Observers, U>(table, "min.u" + bits, [](U old, U b, U) { return b < old ? b : old; });
  add_atomic<Observers, U>(table, "max.u" + bits, [](U old, U b, U) { return b > old ? b : old; });
  add_atomic<Observers, U>(table, "min.s" + bits, [](U old, U b, U) {
    return static_cast<S>(b) < static_cast<S>(old) ? b : old;
  });
  add_atomic<Observers, U>(table, "max.s" + bits, [](U old, U b, U) {
    return static_cast<S>(b) > static_cast<S>(old) ? b : old;
  });
  add_atomic<Observers, U>(table, "and.b" + bits, [](U old, U b, U) { return old & b; });
  add_atomic<Observers, U>(table, "or.b" + bits, [](U old, U b, U) { return old | b; });
  add_atomic<Observers, U>(table, "xor.b" + bits, [](U old, U b, U) { return old ^ b; });
  add_atomic<Observers, U>(table, "exch.b" + bits, [](U, U b, U) { return b; });
  add_atomic<Observers, U>(table, "cas.b" + bits,
                           [](U old, U b, U c) { return old == b ? c : old; });
  add_atomic<Observers, U>(table, "inc.u" + bits,
                           [](U old, U b, U) { return old >= b ? U{0} : old + 1; });
  add_atomic<Observers, U>(table, "dec.u" + bits,
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

/// Returns the smaller (larger) of two halves or bfloats, with -0 < +0. A NaN loses.
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

/// Adds an operation on halves of a type, and on pairs of them.
template <class Observers, auto operation>
void add_half_atomics(Table& table, const std::string& name) {
  using U = std::uint32_t;
  using H = std::uint16_t;
  add_atomic<Observers, H>(table, name, [](H old, H b, H) { return operation(old, b); });
  add_atomic<Observers, U>(table, name + "x2",
                           [](U old, U b, U) { return of_pair<operation>(old, b); });
}

template <class Observers>
Table make_atomic_table() {
  Table table;
  using U = std::uint32_t;
  using L = std::uint64_t;
  using H = std::uint16_t;
  add_integer_atomics<Observers, U, std::int32_t>(table, "32");
  add_integer_atomics<Observers, L, std::int64_t>(table, "64");
  add_atomic<Observers, H>(table, "cas.b16", [](H old, H b, H c) { return old == b ? c : old; });
  add_atomic<Observers, U>(table, "add.f32", AddFloats{});
  add_atomic<Observers, L>(table, "add.f64", [](L old, L b, L) {
    return std::bit_cast<L>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  });
  const Width l = Width::w64;
  table["exch.b128"] = {exchange_wide<Observers, false>, {l, Width::none, l, l, l}};
  table["cas.b128"] = {exchange_wide<Observers, true>, {l, Width::none, l, l, l}};
  add_half_atomics<Observers, add_halves>(table, "add.noftz.f16");
  add_half_atomics<Observers, add_bfloats>(table, "add.noftz.bf16");
  add_half_atomics<Observers, extreme<Float16, false>>(table, "min.noftz.f16");
  add_half_atomics<Observers, extreme<Float16, true>>(table, "max.noftz.f16");
  add_half_atomics<Observers, extreme<BFloat16, false>>(table, "min.noftz.bf16");
  add_half_atomics<Observers, extreme<BFloat16, true>>(table, "max.noftz.bf16");
  return table;
}

}  // namespace

const Table& atomic_operations(ObserverSet observers) {
  return *with_observers(observers, [](auto set) {
    static const Table table = make_atomic_table<typename decltype(set)::type>();
    return &table;
  });
}

}  // namespace warpwise::emulator
