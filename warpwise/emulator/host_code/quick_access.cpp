#include "warpwise/emulator/host_code/quick_access.hpp"

#if defined(WARPWISE_JIT)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/calls.hpp"
#include "warpwise/emulator/instructions/memory/load_store.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

// clang-format off: the second header needs the first
#include "warpwise/emulator/host_code/whole_warps-inl.hpp"
#include "warpwise/emulator/host_code/quick_observers-inl.hpp"
// clang-format on

/// Runs the handler. Keeps the allocation that the handler found, for the next access.
template <bool is_shared>
[[gnu::noinline]] void run_handler(Warp& warp, const Operation& op) {
  op.run(warp, op);
  if constexpr (!is_shared)
    warp.worker->quick_views[static_cast<std::size_t>(op.site) % views] = warp.worker->last;
}

/// Does the work of load() for a warp with inactive lanes.
template <class Observers, class T, class S, S kept, class Address, bool is_shared>
[[gnu::noinline]] void load_some(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  Address own[warp_lanes];
  const Address* addresses = active_addresses(warp, op, own);
  const auto offset = static_cast<Address>(op.offset);
  const Piece piece = piece_of<is_shared>(warp, op, static_cast<Address>(addresses[0] + offset));
  if (piece.host == nullptr || !are_inside(sizeof(T), addresses, offset, piece))
    return run_handler<is_shared>(warp, op);
  S* to = destination<S>(warp, list_of(warp, op)[0]);
  move_all<Observers, memory>(warp, op, AccessKind::load, sizeof(T), addresses, piece, false, [&] {
    gather<T, S, kept>(piece.host, addresses, offset - static_cast<Address>(piece.begin), to,
                       warp.active);
  });
}

template <class Observers, class T, class S, class Address, bool is_shared>
[[gnu::noinline]] void store_some(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  Address own[warp_lanes];
  const Address* addresses = active_addresses(warp, op, own);
  const auto offset = static_cast<Address>(op.offset);
  const Piece piece = piece_of<is_shared>(warp, op, static_cast<Address>(addresses[0] + offset));
  if (piece.host == nullptr || !are_inside(sizeof(T), addresses, offset, piece))
    return run_handler<is_shared>(warp, op);
  const S* from = source<S>(warp, list_of(warp, op)[0]);
  warp.wrote = true;
  move_all<Observers, memory>(warp, op, AccessKind::store, sizeof(T), addresses, piece, false, [&] {
    scatter<T>(piece.host, addresses, offset - static_cast<Address>(piece.begin), from,
               warp.active);
  });
}

template <class Observers, class T, class S, S kept, class Address, bool is_shared>
void load(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  if (warp.active != all_lanes)
    return load_some<Observers, T, S, kept, Address, is_shared>(warp, op);
  const auto* addresses = source<Address>(warp, op.a);
  const auto offset = static_cast<Address>(op.offset);
  const Address first = addresses[0] + offset;
  const Piece piece = piece_of<is_shared>(warp, op, first);
  if (piece.host == nullptr) return run_handler<is_shared>(warp, op);
  S* to = destination<S>(warp, list_of(warp, op)[0]);
  if (are_neighbours<sizeof(T)>(addresses, first, piece)) {
    move_all<Observers, memory>(warp, op, AccessKind::load, sizeof(T), addresses, piece, true, [&] {
      load_neighbours<T, S, kept>(piece.host + (first - piece.begin), to);
    });
    return;
  }
  if (!are_inside(sizeof(T), addresses, offset, piece)) return run_handler<is_shared>(warp, op);
  move_all<Observers, memory>(warp, op, AccessKind::load, sizeof(T), addresses, piece, false, [&] {
    gather<T, S, kept>(piece.host, addresses, offset - static_cast<Address>(piece.begin), to,
                       all_lanes);
  });
}

template <class Observers, class T, class S, class Address, bool is_shared>
void store(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  if (warp.active != all_lanes) return store_some<Observers, T, S, Address, is_shared>(warp, op);
  const auto* addresses = source<Address>(warp, op.a);
  const auto offset = static_cast<Address>(op.offset);
  const Address first = addresses[0] + offset;
  const Piece piece = piece_of<is_shared>(warp, op, first);
  if (piece.host == nullptr) return run_handler<is_shared>(warp, op);
  const S* from = source<S>(warp, list_of(warp, op)[0]);
  if (are_neighbours<sizeof(T)>(addresses, first, piece)) {
    warp.wrote = true;
    move_all<Observers, memory>(
        warp, op, AccessKind::store, sizeof(T), addresses, piece, true, [&] {
          alignas(64) T values[warp_lanes];
          for (int i = 0; i < warp_lanes; ++i) values[i] = static_cast<T>(from[i]);
          std::memcpy(piece.host + (first - piece.begin), values, sizeof(values));
        });
    return;
  }
  if (!are_inside(sizeof(T), addresses, offset, piece)) return run_handler<is_shared>(warp, op);
  warp.wrote = true;
  move_all<Observers, memory>(warp, op, AccessKind::store, sizeof(T), addresses, piece, false, [&] {
    scatter<T>(piece.host, addresses, offset - static_cast<Address>(piece.begin), from, all_lanes);
  });
}

constexpr std::size_t longest_vector = 16;

/// Does the work of load() for vectors. It copies the addresses first, because loaded elements may
/// overwrite the address registers.
template <class Observers, class T, class Address, bool is_shared>
void load_vector(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  const std::size_t bytes = sizeof(T) * op.count;
  const auto offset = static_cast<Address>(op.offset);
  alignas(32) Address addresses[warp_lanes];
  if (active_addresses(warp, op, addresses) != addresses)
    std::copy_n(source<Address>(warp, op.a), warp_lanes, addresses);
  const Piece piece = piece_of<is_shared>(warp, op, static_cast<Address>(addresses[0] + offset));
  if (piece.host == nullptr || bytes > longest_vector ||
      !are_inside(bytes, addresses, offset, piece))
    return run_handler<is_shared>(warp, op);
  const bool neighbours =
      sees_accesses<Observers> && warp.active == all_lanes && are_in_a_row(addresses, bytes);
  move_all<Observers, memory>(warp, op, AccessKind::load, bytes, addresses, piece, neighbours, [&] {
    const std::int32_t* registers = list_of(warp, op);
    for (std::size_t e = 0; e < op.count; ++e) {
      const auto at =
          static_cast<Address>(offset - static_cast<Address>(piece.begin) + e * sizeof(T));
      gather<T, T, static_cast<T>(~T{0})>(piece.host, addresses, at,
                                          destination<T>(warp, registers[e]), warp.active);
    }
  });
}

template <class Observers, class T, class Address, bool is_shared>
void store_vector(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  const std::size_t bytes = sizeof(T) * op.count;
  Address own[warp_lanes];
  const Address* addresses = active_addresses(warp, op, own);
  const auto offset = static_cast<Address>(op.offset);
  const Piece piece = piece_of<is_shared>(warp, op, static_cast<Address>(addresses[0] + offset));
  if (piece.host == nullptr || bytes > longest_vector ||
      !are_inside(bytes, addresses, offset, piece))
    return run_handler<is_shared>(warp, op);
  warp.wrote = true;
  const bool neighbours =
      sees_accesses<Observers> && warp.active == all_lanes && are_in_a_row(addresses, bytes);
  move_all<Observers, memory>(
      warp, op, AccessKind::store, bytes, addresses, piece, neighbours, [&] {
        const std::int32_t* registers = list_of(warp, op);
        for (std::size_t e = 0; e < op.count; ++e) {
          const auto at =
              static_cast<Address>(offset - static_cast<Address>(piece.begin) + e * sizeof(T));
          scatter<T>(piece.host, addresses, at, source<T>(warp, registers[e]), warp.active);
        }
      });
}

/// Returns the local memory of the warp's first lane. The other lanes' memory follows it in order.
inline Piece local_piece(const Warp& warp) {
  const std::uint64_t size = warp.worker->launch->local_bytes;
  const std::uint64_t before = std::uint64_t{warp.index} * warp_lanes * size;
  std::byte* const shadow = warp.block->local_shadow.data();
  return {0, size, warp.block->local.data() + before,
          shadow == nullptr ? nullptr : shadow + before};
}

/// Returns true if the accesses of all active lanes are aligned and in the cleared part of their
/// local memory. The rest may still have bytes of an earlier block, which a handler clears.
inline bool are_cleared(const Warp& warp, std::size_t bytes, const std::uint64_t* addresses,
                        std::uint64_t offset, Piece piece) {
  piece.end = cleared_local(warp);
  return are_inside(bytes, addresses, offset, piece);
}

/// Calls body(lane, its memory) for each active lane.
template <class Body>
inline void each_own(Mask lanes, const Piece& piece, const Body& body) {
  const std::uint64_t stride = piece.end;
  std::byte* own = piece.host;
  if (lanes == all_lanes) {
#pragma GCC unroll 32
    for (int i = 0; i < warp_lanes; ++i, own += stride) body(i, own);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const int i = std::countr_zero(lanes);
    body(i, own + static_cast<std::uint64_t>(i) * stride);
  }
}

template <class Observers, class T, class S, S kept>
void load_local(Warp& warp, const Operation& op) {
  const Piece piece = local_piece(warp);
  std::uint64_t places[warp_lanes];
  const std::uint64_t* addresses = active_addresses(warp, op, places);
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (!are_cleared(warp, sizeof(T), addresses, offset, piece)) return op.run(warp, op);
  S* to = destination<S>(warp, list_of(warp, op)[0]);
  move_all<Observers, Memory::local>(
      warp, op, AccessKind::load, sizeof(T), addresses, piece, false, [&] {
        each_own(warp.active, piece, [&](int i, const std::byte* own) {
          T value;
          std::memcpy(&value, own + (addresses[i] + offset), sizeof(T));
          to[i] = static_cast<S>(value) & kept;
        });
      });
}

template <class Observers, class T, class S>
void store_local(Warp& warp, const Operation& op) {
  const Piece piece = local_piece(warp);
  std::uint64_t places[warp_lanes];
  const std::uint64_t* addresses = active_addresses(warp, op, places);
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (!are_cleared(warp, sizeof(T), addresses, offset, piece)) return op.run(warp, op);
  const S* from = source<S>(warp, list_of(warp, op)[0]);
  warp.wrote = true;
  move_all<Observers, Memory::local>(
      warp, op, AccessKind::store, sizeof(T), addresses, piece, false, [&] {
        each_own(warp.active, piece, [&](int i, std::byte* own) {
          const T value = static_cast<T>(from[i]);
          std::memcpy(own + (addresses[i] + offset), &value, sizeof(T));
        });
      });
}

/// Returns true if all bytes between the lowest and the highest address of some loads are defined.
/// The loads have one address register, the base. A range too wide to be examined gives false.
inline bool are_defined(const std::uint32_t* addresses, const SharedLoads::Base& base,
                        const std::byte* shadow, std::size_t bytes) {
  constexpr std::uint32_t farthest = 4096;
  std::uint32_t least = ~std::uint32_t{0};
  std::uint32_t most = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    const std::uint32_t address = addresses[i] + static_cast<std::uint32_t>(base.lowest);
    least = std::min(least, address);
    most = std::max(most, address);
  }
  const std::size_t end = most + static_cast<std::size_t>(base.highest - base.lowest) + bytes;
  if (end - least > farthest) return false;
  const std::size_t whole = (end - least) / sizeof(Vector) * sizeof(Vector);
  std::uint32_t any = 0;
  for (std::size_t at = least + whole; at < end; at += bytes) {
    std::uint32_t word;
    std::memcpy(&word, shadow + at, bytes);
    any |= word;
  }
  return any == 0 && are_zero(shadow + least, whole);
}

/// Passes all loads to the checks and returns true. Passes none and returns false if one of them
/// reads an undefined value, or if they have to be checked one by one.
inline bool check_loads(Warp& warp, const SharedLoads& loads) {
  constexpr std::size_t bytes = 4;
  const AlignedBytes& shared = warp.block->shared;
  const Piece piece{0, shared.size(), shared.data(), warp.block->shared_shadow.data()};
  auto& observers = Observers<Races, Init>::of(warp);
  const std::size_t count = loads.bases.size();
  if (const Init& init = observers.get<Init>(); init.is_on() && piece.shadow != nullptr) {
    std::uint32_t undefined = 0;  // a bit for each base
    for (std::size_t i = 0; i < count; ++i) {
      const auto* addresses = source<std::uint32_t>(warp, loads.bases[i].addresses);
      if (i >= 32 || !are_defined(addresses, loads.bases[i], piece.shadow, bytes))
        undefined |= std::uint32_t{1} << std::min<std::size_t>(i, 31);
    }
    for (const auto& [op, base] : loads.loads) {
      if ((undefined >> std::min<std::size_t>(base, 31) & 1) == 0) continue;
      if (!stays_defined<Memory::shared>(warp, *op, init, AccessKind::load, bytes,
                                         source<std::uint32_t>(warp, op->a), piece, false))
        return false;
    }
  }
  Races& races = observers.get<Races>();
  if (!races.is_on()) return true;
  if (races.is_strict() || count > Races::most_repeated) return false;
  std::array<WholeAddresses, Races::most_repeated> addresses;
  std::array<Access, Races::most_repeated> accesses;
  std::array<const Operation*, Races::most_repeated> firsts{};
  std::array<Races::RepeatedLoad, 64> repeated;
  std::size_t n = 0;
  const auto check = [&] {
    races.on_repeated_loads(warp, std::span(accesses).first(count), std::span(repeated).first(n));
    n = 0;
  };
  for (const auto& [op, base] : loads.loads) {
    if (firsts[base] == nullptr) {
      firsts[base] = op;
      const auto* own = source<std::uint32_t>(warp, op->a);
      accesses[base] = whole_access<Memory::shared>(warp, *op, AccessKind::load, bytes, own, piece,
                                                    are_in_a_row(own, bytes), addresses[base]);
    }
  }
  for (const auto& [op, base] : loads.loads) {
    repeated[n++] = {op, base, static_cast<std::uint64_t>(op->offset - firsts[base]->offset)};
    if (n == repeated.size()) check();
  }
  if (n > 0) check();
  return true;
}

template <class Observers>
std::byte* prepare(Warp& warp, const SharedLoads& loads) {
  const AlignedBytes& shared = warp.block->shared;
  if (warp.active != all_lanes) return nullptr;
  constexpr std::size_t bytes = 4;
  for (const SharedLoads::Base& base : loads.bases) {
    const auto range = static_cast<std::uint64_t>(base.highest - base.lowest);
    const auto* addresses = source<std::uint32_t>(warp, base.addresses);
    const auto lowest = static_cast<std::uint32_t>(base.lowest);
    Piece piece = shared_piece(warp, addresses[0] + lowest);
    if (piece.end - piece.begin < range + bytes) return nullptr;
    piece.end -= range;
    if (!are_inside(bytes, addresses, lowest, piece)) return nullptr;
  }
  if constexpr (std::is_same_v<Observers, emulator::Observers<Races, Init>>) {
    if (!check_loads(warp, loads)) return nullptr;
  } else if constexpr (Observers::any) {
    for (const auto& [op, base] : loads.loads)
      tell<Observers>(warp, *op, AccessKind::load, bytes, source<std::uint32_t>(warp, op->a),
                      false);
  }
  return shared.data();
}

template <class T, class S, S kept>
void load_parameter(Warp& warp, const Operation& op) {
  T value;
  std::memcpy(&value, warp.worker->launch->parameters.data() + op.offset, sizeof(T));
  S* to = destination<S>(warp, list_of(warp, op)[0]);
  const S given = static_cast<S>(value) & kept;
  if (warp.whole) {
    for (int i = 0; i < warp_lanes; ++i) to[i] = given;
    return;
  }
  for (int i = 0; i < warp_lanes; ++i) to[i] = (warp.active >> i & 1) != 0 ? given : to[i];
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

/// Functions that replace one handler, by the memory and the width of addresses.
struct Quick {
  struct Of {
    Handler global = nullptr;
    Handler shared = nullptr;       ///< with addresses of 32 bits
    Handler shared_long = nullptr;  ///< with addresses of 64 bits
  };
  Of scalar;
  Of vector;
  Handler local = nullptr;
  Handler parameter = nullptr;
  bool is_word_load = false;  ///< a load of 32 bits to a register of 32 bits
};
using Quicks = std::map<Handler, Quick>;

template <class Observers, class T, class S, S kept>
void add_load(Quicks& all, ObserverSet set, std::string_view type, Width width) {
  using Long = std::uint64_t;
  using Short = std::uint32_t;
  Quick& quick = all[load_handler(set, type, width, Space::global)];
  quick.scalar = {load<Observers, T, S, kept, Long, false>,
                  load<Observers, T, S, kept, Short, true>,
                  load<Observers, T, S, kept, Long, true>};
  if constexpr (sizeof(T) == sizeof(S)) {
    quick.vector = {load_vector<Observers, S, Long, false>, load_vector<Observers, S, Short, true>,
                    load_vector<Observers, S, Long, true>};
  }
  quick.local = load_local<Observers, T, S, kept>;
  quick.is_word_load = sizeof(T) == 4 && sizeof(S) == 4;
  all[load_handler(set, type, width, Space::parameter)].parameter = load_parameter<T, S, kept>;
}

template <class Observers, class T, class S>
void add_store(Quicks& all, ObserverSet set, std::string_view type, Width width) {
  using Long = std::uint64_t;
  using Short = std::uint32_t;
  Quick& quick = all[store_handler(set, type, width)];
  quick.scalar = {store<Observers, T, S, Long, false>, store<Observers, T, S, Short, true>,
                  store<Observers, T, S, Long, true>};
  if constexpr (sizeof(T) == sizeof(S)) {
    quick.vector = {store_vector<Observers, S, Long, false>,
                    store_vector<Observers, S, Short, true>,
                    store_vector<Observers, S, Long, true>};
  }
  quick.local = store_local<Observers, T, S>;
}

template <class Observers>
Quicks quicks_of(ObserverSet set) {
  using U = std::uint32_t;
  using L = std::uint64_t;
  Quicks all;
  const auto add = [&]<class T>(T, const char* type) {
    if constexpr (sizeof(T) <= 2) add_load<Observers, T, U, 0xffffU>(all, set, type, Width::w16);
    if constexpr (sizeof(T) <= 4) add_load<Observers, T, U, ~U{0}>(all, set, type, Width::w32);
    add_load<Observers, T, L, ~L{0}>(all, set, type, Width::w64);
  };
  add(std::uint8_t{}, "u8");
  add(std::int8_t{}, "s8");
  add(std::uint16_t{}, "u16");
  add(std::int16_t{}, "s16");
  add(std::uint32_t{}, "u32");
  add(std::int32_t{}, "s32");
  add(std::uint64_t{}, "u64");
  const auto add_stores = [&]<class T>(T, const char* type) {
    if constexpr (sizeof(T) <= 2) add_store<Observers, T, U>(all, set, type, Width::w16);
    if constexpr (sizeof(T) <= 4) add_store<Observers, T, U>(all, set, type, Width::w32);
    add_store<Observers, T, L>(all, set, type, Width::w64);
  };
  add_stores(std::uint8_t{}, "u8");
  add_stores(std::uint16_t{}, "u16");
  add_stores(std::uint32_t{}, "u32");
  add_stores(std::uint64_t{}, "u64");
  return all;
}

/// Returns the functions that replace an operation's handler; null if there are none.
const Quick* quick_of(const Operation& op, ObserverSet observers) {
  static const Quicks uncounted = quicks_of<Observers<>>(ObserverSet::none);
  static const Quicks counted = quicks_of<Observers<Counts>>(ObserverSet::counts);
  static const Quicks checked = quicks_of<Observers<Races, Init>>(ObserverSet::checks);
  static const Quicks all_observed =
      quicks_of<Observers<Counts, Races, Init>>(ObserverSet::counts_and_checks);
  const Quicks* const all = observers == ObserverSet::none                ? &uncounted
                            : observers == ObserverSet::counts            ? &counted
                            : observers == ObserverSet::checks            ? &checked
                            : observers == ObserverSet::counts_and_checks ? &all_observed
                                                                          : nullptr;
  if (all == nullptr) return nullptr;
  const auto found = all->find(op.run);
  const bool is_simple = !op.strong && op.site >= 0;
  return found == all->end() || !is_simple ? nullptr : &found->second;
}

}  // namespace

Handler quick_access(const Operation& op, ObserverSet observers) {
  const Quick* const quick = quick_of(op, observers);
  if (quick == nullptr) return nullptr;
  if (quick->parameter != nullptr) return op.count == 1 ? quick->parameter : nullptr;
  const Quick::Of& of = op.count == 1 ? quick->scalar : quick->vector;
  switch (op.space) {
    case Space::generic:
    case Space::global:
    case Space::constant: return op.short_address ? nullptr : of.global;
    case Space::shared: return op.short_address ? of.shared : of.shared_long;
    case Space::local: return op.short_address || op.count != 1 ? nullptr : quick->local;
    default: return nullptr;
  }
}

bool loads_shared_words(const Operation& op, ObserverSet observers) {
  constexpr std::int64_t farthest = std::int64_t{1} << 30;
  const Quick* const quick = quick_of(op, observers);
  return quick != nullptr && observers != ObserverSet::counts_and_checks && quick->is_word_load &&
         op.count == 1 && op.space == Space::shared && op.short_address && op.a >= 0 &&
         op.offset > -farthest && op.offset < farthest;
}

PrepareLoads prepare_loads(ObserverSet observers) {
  switch (observers) {
    case ObserverSet::counts: return prepare<Observers<Counts>>;
    case ObserverSet::checks: return prepare<Observers<Races, Init>>;
    default: return prepare<Observers<>>;
  }
}

}  // namespace warpwise::emulator

#endif
