// Loads, stores, atomics.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/execute/access.hpp"

namespace warpwise::emulator {
namespace {

/// Runs a body with the warp's active lanes narrowed to some.
template <class Body>
void with_lanes(Warp& warp, Mask lanes, const Body& body) {
  const Mask active = warp.active;
  const bool whole = warp.whole;
  if (lanes != active) {
    warp.active = lanes;
    warp.whole = (lanes & warp.live) == warp.live;
  }
  body();
  warp.active = active;
  warp.whole = whole;
}

/// Elements of type T into registers of storage S, which keeps `kept` of the extended value (0xffff
/// for a register of 16 bits).
template <class T, class S, S kept>
void load(Warp& warp, const Operation& op) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  const std::int32_t* registers = warp.worker->code->lists.data() + op.list;
  const int bytes = static_cast<int>(sizeof(T)) * op.count;
  for_each_space(space_of(op), addresses, warp.active, [&](Space space, Mask lanes) {
    with_lanes(warp, lanes, [&] {
      Resolved place;
      resolve(warp, op, space, AccessKind::load, bytes, addresses, lanes, place);
      for (int e = 0; e < op.count; ++e) {
        alignas(64) S out[warp_lanes];
        if (place.valid == 0) {
          std::memset(out, 0, sizeof(out));
        } else if (place.contiguous && op.count == 1) {
          alignas(64) T values[warp_lanes];
          std::memcpy(values, place.base + place.at[0], sizeof(values));
          for (int i = 0; i < warp_lanes; ++i) out[i] = static_cast<S>(values[i]) & kept;
        } else {
          const std::byte* base = place.base + static_cast<std::size_t>(e) * sizeof(T);
          for (int i = 0; i < warp_lanes; ++i) {
            T value;
            std::memcpy(&value, base + place.at[i], sizeof(T));
            out[i] = static_cast<S>(value) & kept;
          }
          if (place.valid != warp.active) {
            for (int i = 0; i < warp_lanes; ++i) out[i] = (place.valid >> i & 1) != 0 ? out[i] : 0;
          }
        }
        write_lanes(warp, registers[e], out);
      }
    });
  });
  if (op.polls) warp.polled = true;
}

/// The same from the kernel's parameters at Operation::offset, which lies inside of them.
template <class T, class S, S kept>
void load_parameter(Warp& warp, const Operation& op) {
  const std::int32_t* registers = warp.worker->code->lists.data() + op.list;
  const std::byte* from = warp.worker->launch->parameters.data() + op.offset;
  for (int e = 0; e < op.count; ++e) {
    T value;
    std::memcpy(&value, from + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
    alignas(64) S out[warp_lanes];
    std::fill_n(out, warp_lanes, static_cast<S>(value) & kept);
    write_lanes(warp, registers[e], out);
  }
}

template <class T, class S>
void store(Warp& warp, const Operation& op) {
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  const std::int32_t* registers = warp.worker->code->lists.data() + op.list;
  const int bytes = static_cast<int>(sizeof(T)) * op.count;
  for_each_space(space_of(op), addresses, warp.active, [&](Space space, Mask lanes) {
    Resolved place;
    resolve(warp, op, space, AccessKind::store, bytes, addresses, lanes, place);
    for (int e = 0; e < op.count; ++e) {
      const S* values = source<S>(warp, registers[e]);
      std::byte* base = place.base + static_cast<std::size_t>(e) * sizeof(T);
      if (place.contiguous && op.count == 1) {
        alignas(64) T out[warp_lanes];
        for (int i = 0; i < warp_lanes; ++i) out[i] = static_cast<T>(values[i]);
        std::memcpy(base + place.at[0], out, sizeof(out));
        continue;
      }
      for (Mask left = place.valid; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        const T value = static_cast<T>(values[i]);
        std::memcpy(base + place.at[i], &value, sizeof(T));
      }
    }
  });
}

/// old = *p; *p = next(old), in one step if other workers may do the same.
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

/// An atomic on words of type T (unsigned, of the type's width): Op(old, b, c) is what memory holds
/// next.
template <class T, class Op>
void atomic(Warp& warp, const Operation& op) {
  using S = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  const S* b = source<S>(warp, op.b);
  const S* c = source<S>(warp, op.c);
  for_each_space(space_of(op), addresses, warp.active, [&](Space space, Mask lanes) {
    with_lanes(warp, lanes, [&] {
      Resolved place;
      resolve(warp, op, space, AccessKind::atomic, static_cast<int>(sizeof(T)), addresses, lanes,
              place);
      const bool others = space == Space::global && warp.worker->launch->atomic;
      alignas(64) S out[warp_lanes] = {};
      for (Mask left = place.valid; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        out[i] = exchange<T>(place.base + place.at[i], others, [&](T old) {
          return Op{}(old, static_cast<T>(b[i]), static_cast<T>(c[i]));
        });
      }
      if (op.dst >= 0) write_lanes(warp, op.dst, out);
    });
  });
  warp.polled = true;
}

template <class T>
constexpr Width width_of() {
  return sizeof(T) == 8 ? Width::w64 : sizeof(T) == 4 ? Width::w32 : Width::w16;
}

template <class T, class Op>
void add_atomic(Table& table, const std::string& name, Op) {
  const Width w = width_of<T>();
  table[name] = {atomic<T, Op>, {w, Width::none, Width::w64, w, w}};
}

template <class U, class S>
void add_integer_atomics(Table& table, const std::string& bits) {
  for (const char* sign : {"u", "s"}) {
    add_atomic<U>(table, std::string("add.") + sign + bits, [](U old, U b, U) { return old + b; });
  }
  add_atomic<U>(table, "min.u" + bits, [](U old, U b, U) { return b < old ? b : old; });
  add_atomic<U>(table, "max.u" + bits, [](U old, U b, U) { return b > old ? b : old; });
  add_atomic<U>(table, "min.s" + bits,
                [](U old, U b, U) { return static_cast<S>(b) < static_cast<S>(old) ? b : old; });
  add_atomic<U>(table, "max.s" + bits,
                [](U old, U b, U) { return static_cast<S>(b) > static_cast<S>(old) ? b : old; });
  add_atomic<U>(table, "and.b" + bits, [](U old, U b, U) { return old & b; });
  add_atomic<U>(table, "or.b" + bits, [](U old, U b, U) { return old | b; });
  add_atomic<U>(table, "xor.b" + bits, [](U old, U b, U) { return old ^ b; });
  add_atomic<U>(table, "exch.b" + bits, [](U, U b, U) { return b; });
  add_atomic<U>(table, "cas.b" + bits, [](U old, U b, U c) { return old == b ? c : old; });
  add_atomic<U>(table, "inc.u" + bits, [](U old, U b, U) { return old >= b ? U{0} : old + 1; });
  add_atomic<U>(table, "dec.u" + bits,
                [](U old, U b, U) { return old == 0 || old > b ? b : old - 1; });
}

std::uint32_t add_floats(std::uint32_t x, std::uint32_t y) {
  const float sum = std::bit_cast<float>(x) + std::bit_cast<float>(y);
  return sum == sum ? std::bit_cast<std::uint32_t>(sum) : 0x7fffffffU;
}

std::uint16_t add_halves(std::uint16_t x, std::uint16_t y) {
  const float sum = to_float(Float16{x}) + to_float(Float16{y});
  return sum == sum ? to_float16(sum).bits : std::uint16_t{0x7fff};
}

std::uint16_t add_bfloats(std::uint16_t x, std::uint16_t y) {
  const float sum = to_float(BFloat16{x}) + to_float(BFloat16{y});
  return sum == sum ? to_bfloat16(sum).bits : std::uint16_t{0x7fff};
}

template <std::uint16_t (*add)(std::uint16_t, std::uint16_t)>
std::uint32_t add_pair(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t low = add(static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y));
  const std::uint32_t high =
      add(static_cast<std::uint16_t>(x >> 16), static_cast<std::uint16_t>(y >> 16));
  return high << 16 | low;
}

Table make_atomics() {
  Table table;
  using U = std::uint32_t;
  using L = std::uint64_t;
  using H = std::uint16_t;
  add_integer_atomics<U, std::int32_t>(table, "32");
  add_integer_atomics<L, std::int64_t>(table, "64");
  add_atomic<H>(table, "cas.b16", [](H old, H b, H c) { return old == b ? c : old; });
  add_atomic<U>(table, "add.f32", [](U old, U b, U) { return add_floats(old, b); });
  add_atomic<L>(table, "add.f64", [](L old, L b, L) {
    return std::bit_cast<L>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  });
  add_atomic<H>(table, "add.noftz.f16", [](H old, H b, H) { return add_halves(old, b); });
  add_atomic<H>(table, "add.noftz.bf16", [](H old, H b, H) { return add_bfloats(old, b); });
  add_atomic<U>(table, "add.noftz.f16x2",
                [](U old, U b, U) { return add_pair<add_halves>(old, b); });
  add_atomic<U>(table, "add.noftz.bf16x2",
                [](U old, U b, U) { return add_pair<add_bfloats>(old, b); });
  return table;
}

template <class T, class S, S kept>
Handler load_from(Space space) {
  return space == Space::parameter ? load_parameter<T, S, kept> : load<T, S, kept>;
}

template <class T>
Handler load_of(Width width, Space space) {
  switch (width) {
    case Width::w16:
      if constexpr (sizeof(T) <= 2) return load_from<T, std::uint32_t, 0xffffU>(space);
      return nullptr;
    case Width::w32:
      if constexpr (sizeof(T) <= 4) return load_from<T, std::uint32_t, 0xffffffffU>(space);
      return nullptr;
    case Width::w64: return load_from<T, std::uint64_t, ~std::uint64_t{0}>(space);
    default: return nullptr;
  }
}

template <class T>
Handler store_of(Width width) {
  switch (width) {
    case Width::w16: return sizeof(T) <= 2 ? store<T, std::uint32_t> : nullptr;
    case Width::w32: return sizeof(T) <= 4 ? store<T, std::uint32_t> : nullptr;
    case Width::w64: return store<T, std::uint64_t>;
    default: return nullptr;
  }
}

}  // namespace

Handler load_handler(std::string_view type, Width width, Space space) {
  if (type == "u8" || type == "b8") return load_of<std::uint8_t>(width, space);
  if (type == "s8") return load_of<std::int8_t>(width, space);
  if (type == "u16" || type == "b16" || type == "f16" || type == "bf16")
    return load_of<std::uint16_t>(width, space);
  if (type == "s16") return load_of<std::int16_t>(width, space);
  if (type == "u32" || type == "b32" || type == "f32") return load_of<std::uint32_t>(width, space);
  if (type == "s32") return load_of<std::int32_t>(width, space);
  if (type == "u64" || type == "s64" || type == "b64" || type == "f64")
    return load_of<std::uint64_t>(width, space);
  return nullptr;
}

Handler store_handler(std::string_view type, Width width) {
  if (type == "u8" || type == "b8" || type == "s8") return store_of<std::uint8_t>(width);
  if (type == "u16" || type == "b16" || type == "f16" || type == "bf16" || type == "s16") {
    return store_of<std::uint16_t>(width);
  }
  if (type == "u32" || type == "b32" || type == "f32" || type == "s32")
    return store_of<std::uint32_t>(width);
  if (type == "u64" || type == "s64" || type == "b64" || type == "f64")
    return store_of<std::uint64_t>(width);
  return nullptr;
}

const Table& atomic_operations() {
  static const Table table = make_atomics();
  return table;
}

void copy_async(Warp& warp, const Operation& op) {
  // a: address in shared memory (Operation::offset its offset); lists: the global address, what is
  // added to it, and the number of bytes to read; the rest of Operation::bytes becomes zero.
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  alignas(64) std::uint64_t to[warp_lanes];
  load_addresses(warp, op, to);
  alignas(64) std::uint64_t from[warp_lanes];
  const auto* address = source<std::uint64_t>(warp, list[0]);
  const auto* read_bytes = source<std::uint32_t>(warp, list[2]);
  const auto* added = source<std::uint64_t>(warp, list[1]);
  for (int i = 0; i < warp_lanes; ++i) from[i] = address[i] + added[i];
  Mask reading = 0;
  for (int i = 0; i < warp_lanes; ++i) reading |= static_cast<Mask>(read_bytes[i] > 0) << i;
  Resolved target;
  resolve(warp, op, Space::shared, AccessKind::store, op.bytes, to, warp.active, target);
  Resolved origin;
  origin.valid = 0;
  if ((warp.active & reading) != 0) {
    Operation load = op;
    load.site = op.site + 1;
    resolve(warp, load, Space::global, AccessKind::load, op.bytes, from, warp.active & reading,
            origin);
  }
  for (Mask left = target.valid; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    std::array<std::byte, 16> bytes{};
    if ((origin.valid >> i & 1) != 0) {
      std::memcpy(bytes.data(), origin.base + origin.at[i],
                  std::min<std::size_t>(read_bytes[i], op.bytes));
    }
    std::memcpy(target.base + target.at[i], bytes.data(), op.bytes);
  }
}

}  // namespace warpwise::emulator
