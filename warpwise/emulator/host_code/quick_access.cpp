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

template <class T>
constexpr std::array<T, warp_lanes> multiples(T step) {
  std::array<T, warp_lanes> all{};
  for (std::size_t i = 0; i < warp_lanes; ++i) all[i] = static_cast<T>(i) * step;
  return all;
}

/// Distances of the lanes' addresses in an access of neighbouring elements.
template <class Address, std::size_t bytes>
alignas(64) constexpr std::array<Address, warp_lanes> distances = multiples<Address>(bytes);

/// Memory that an access may touch: addresses begin to end, of which begin is at `host`.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::byte* host = nullptr;
  std::byte* shadow = nullptr;  ///< states of its bytes, see state.hpp; null: all are defined
};

using Vector = __m256i;

template <class T>
inline Vector vector_at(const T* from) {
  return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from));
}
inline Vector all_of(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}
inline Vector all_of(std::uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
inline Vector difference(Vector a, Vector b, std::uint64_t) { return _mm256_sub_epi64(a, b); }
inline Vector difference(Vector a, Vector b, std::uint32_t) { return _mm256_sub_epi32(a, b); }
inline bool is_zero(Vector bits) { return _mm256_testz_si256(bits, bits) != 0; }

/// Lanes of a vector of addresses.
template <class Address>
constexpr int at_once = sizeof(Vector) / sizeof(Address);

/// Returns true if the addresses are `begin` plus the given offsets.
template <class Address>
inline bool are_at(const Address* addresses, Address begin, const Address* offsets) {
  const Vector first = all_of(begin);
  Vector different = _mm256_setzero_si256();
  for (int i = 0; i < warp_lanes; i += at_once<Address>) {
    const Vector offset = difference(vector_at(addresses + i), first, Address{});
    different = _mm256_or_si256(different, _mm256_xor_si256(offset, vector_at(offsets + i)));
  }
  return is_zero(different);
}

/// Returns true if no lane's access leaves the piece, and each is aligned.
inline bool are_inside(std::size_t bytes, const std::uint64_t* addresses, std::uint64_t offset,
                       const Piece& piece) {
  if (piece.end - piece.begin < bytes) return false;
  const Vector first = all_of(piece.begin - offset);
  const Vector last = all_of(piece.end - bytes - offset);
  const Vector added = all_of(offset);
  Vector outside = _mm256_setzero_si256();
  Vector bits = outside;
  for (int i = 0; i < warp_lanes; i += at_once<std::uint64_t>) {
    const Vector address = vector_at(addresses + i);
    outside = _mm256_or_si256(outside, _mm256_or_si256(_mm256_sub_epi64(address, first),
                                                       _mm256_sub_epi64(last, address)));
    bits = _mm256_or_si256(bits, _mm256_add_epi64(address, added));
  }
  return _mm256_movemask_pd(_mm256_castsi256_pd(outside)) == 0 &&
         _mm256_testz_si256(bits, all_of(static_cast<std::uint64_t>(bytes - 1))) != 0;
}
inline bool are_inside(std::size_t bytes, const std::uint32_t* addresses, std::uint32_t offset,
                       const Piece& piece) {
  if (piece.end - piece.begin < bytes) return false;
  const Vector first = all_of(static_cast<std::uint32_t>(piece.begin));
  const Vector last = all_of(static_cast<std::uint32_t>(piece.end - bytes));
  const Vector added = all_of(offset);
  Vector least = first;
  Vector most = last;
  Vector bits = _mm256_setzero_si256();
  for (int i = 0; i < warp_lanes; i += at_once<std::uint32_t>) {
    const Vector address = _mm256_add_epi32(vector_at(addresses + i), added);
    least = _mm256_min_epu32(least, address);
    most = _mm256_max_epu32(most, address);
    bits = _mm256_or_si256(bits, address);
  }
  return is_zero(_mm256_or_si256(_mm256_xor_si256(least, first), _mm256_xor_si256(most, last))) &&
         _mm256_testz_si256(bits, all_of(static_cast<std::uint32_t>(bytes - 1))) != 0;
}

/// Returns true if the lanes access neighbouring elements in the piece.
template <std::size_t bytes, class Address>
inline bool are_neighbours(const Address* addresses, std::uint64_t first, const Piece& piece) {
  constexpr std::uint64_t all = bytes * warp_lanes;
  if (piece.end - piece.begin < all || first - piece.begin > piece.end - piece.begin - all ||
      (first & (bytes - 1)) != 0)
    return false;
  return are_at(addresses, addresses[0], distances<Address, bytes>.data());
}

/// Returns true if each lane's address is `bytes` after the one before.
template <class Address>
inline bool are_in_a_row(const Address* addresses, std::size_t bytes) {
  Address different = 0;
  for (std::size_t i = 0; i < warp_lanes; ++i)
    different |= addresses[i] ^ static_cast<Address>(addresses[0] + i * bytes);
  return different == 0;
}

template <class T, class S, S kept>
inline void load_neighbours(const std::byte* from, S* __restrict to) {
  const auto* values = reinterpret_cast<const T*>(from);
  if constexpr (sizeof(T) == sizeof(S)) {
    for (int i = 0; i < warp_lanes; i += at_once<T>)
      _mm256_storeu_si256(reinterpret_cast<Vector*>(to + i), vector_at(values + i));
  } else {
    for (int i = 0; i < warp_lanes; ++i) to[i] = static_cast<S>(values[i]) & kept;
  }
}

/// Loads from `from` plus the sum of address and offset, which wraps around in the address's type.
template <class T, class S, S kept, class Address>
inline void gather(const std::byte* from, const Address* addresses, Address offset, S* to) {
  if constexpr (sizeof(T) == 4 && sizeof(S) == 4 && sizeof(Address) == 4) {
    const __m256i added = _mm256_set1_epi32(static_cast<int>(offset));
    for (int i = 0; i < warp_lanes; i += 8) {
      const __m256i address = _mm256_load_si256(reinterpret_cast<const __m256i*>(addresses + i));
      const __m256i at = _mm256_add_epi32(address, added);
      _mm256_store_si256(reinterpret_cast<__m256i*>(to + i),
                         _mm256_i32gather_epi32(reinterpret_cast<const int*>(from), at, 1));
    }
  } else {
#pragma GCC unroll 32
    for (int i = 0; i < warp_lanes; ++i) {
      T value;
      std::memcpy(&value, from + static_cast<Address>(addresses[i] + offset), sizeof(T));
      to[i] = static_cast<S>(value) & kept;
    }
  }
}

template <class T, class S, class Address>
inline void scatter(std::byte* to, const Address* addresses, Address offset, const S* from) {
#pragma GCC unroll 32
  for (int i = 0; i < warp_lanes; ++i) {
    const T value = static_cast<T>(from[i]);
    std::memcpy(to + static_cast<Address>(addresses[i] + offset), &value, sizeof(T));
  }
}

constexpr std::size_t views = std::tuple_size_v<decltype(Worker::quick_views)>;

/// Returns the part of shared memory around an address that has no gap.
inline Piece shared_piece(const Warp& warp, std::uint64_t address) {
  const AlignedBytes& shared = warp.block->shared;
  Piece piece{0, shared.size(), shared.data(), warp.block->shared_shadow.data()};
  for (const Code::SharedGap& gap : warp.worker->launch->code->shared_gaps) {
    if (address < gap.end) {
      piece.end = std::min(piece.end, gap.begin);
      break;
    }
    piece.begin = gap.end;
  }
  piece.end = std::max(piece.begin, piece.end);
  piece.host += piece.begin;
  if (piece.shadow != nullptr) piece.shadow += piece.begin;
  return piece;
}

template <bool is_shared>
inline Piece piece_of(const Warp& warp, const Operation& op, std::uint64_t address) {
  if constexpr (is_shared) {
    return shared_piece(warp, address);
  } else {
    warp.worker->look_at_frees();
    const AllocationView& view =
        warp.worker->quick_views[static_cast<std::size_t>(op.site) % views];
    return {view.begin, view.end, view.host, view.shadow};
  }
}

/// Runs the handler, and keeps the allocation that it has found.
template <bool is_shared>
[[gnu::noinline]] void run_handler(Warp& warp, const Operation& op) {
  op.run(warp, op);
  if constexpr (!is_shared)
    warp.worker->quick_views[static_cast<std::size_t>(op.site) % views] = warp.worker->last;
}

/// Counts an access in the usual way, and notes what it has added.
template <class Address>
[[gnu::noinline]] void count_anew(Warp& warp, const Operation& op, AccessKind kind, Space space,
                                  int bytes, const Address* addresses, std::uint64_t* added) {
  Counts& counts = Observers<Counts>::of(warp).get<Counts>();
  std::uint64_t sums[warp_lanes];
  const auto offset = static_cast<Address>(op.offset);
  for (int i = 0; i < warp_lanes; ++i) sums[i] = static_cast<Address>(addresses[i] + offset);
  Access access{space, kind, bytes, sums, all_lanes};
  access.site = op.site;
  const std::uint64_t step = sums[1] - sums[0];
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < warp_lanes; ++i) different |= (sums[i] - sums[0]) ^ (step * i);
  access.steady = different == 0;
  const std::uint64_t* const numbers = counts.numbers(op.site, space);
  const std::size_t n = counts.numbers_of_site();
  std::copy_n(numbers, n, added);
  counts.after_access(warp, op, access);
  for (std::size_t i = 0; i < n; ++i) added[i] = numbers[i] - added[i];
}

inline void add_again(std::uint64_t* numbers, const std::uint64_t* added, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 4) {
    const Vector result = _mm256_add_epi64(vector_at(numbers + i), vector_at(added + i));
    _mm256_storeu_si256(reinterpret_cast<Vector*>(numbers + i), result);
  }
}

/// Counts an access of all lanes. Generic addresses are those of global memory here.
template <class Observers, class Address>
inline void tell(Warp& warp, const Operation& op, AccessKind kind, int bytes,
                 const Address* addresses, bool neighbours) {
  if constexpr (Observers::any) {
    const Space space = op.space == Space::generic ? Space::global : op.space;
    Counts& counts = Observers::of(warp).template get<Counts>();
    std::uint64_t* const numbers = counts.numbers(op.site, space);
    const std::size_t n = counts.numbers_of_site();
    QuickCounts& quick = counts.quick();
    const auto first = static_cast<Address>(addresses[0] + static_cast<Address>(op.offset));
    const std::size_t slot = QuickCounts::slot(op.site, first);
    if (numbers == nullptr) {
      if (space == Space::global) ++warp.accesses;
      return;
    }
    constexpr std::size_t kind_of_shape = sizeof(Address) == 8 ? 1 : 2;
    std::vector<std::uint64_t>& all = quick.added[neighbours ? 0 : kind_of_shape];
    if (all.empty()) {
      all.resize(QuickCounts::kept * n);
      quick.neighbours.resize(QuickCounts::kept);
      quick.template shapes<Address>().resize(QuickCounts::kept);
    }
    std::uint64_t* const added = all.data() + slot * n;
    if (neighbours) {
      QuickCounts::Neighbours& known = quick.neighbours[slot];
      const auto low = static_cast<std::uint32_t>(first & 255);
      if (known.site != op.site || known.low != low) {
        known = {op.site, low};
        return count_anew(warp, op, kind, space, bytes, addresses, added);
      }
    } else {
      auto& known = quick.template shapes<Address>()[slot];
      // Relative to the aligned bytes of the first address, without the offset of all.
      const auto begin = static_cast<Address>(addresses[0] - (first & 255));
      if (known.site != op.site || !are_at(addresses, begin, known.offsets.data())) {
        known.site = op.site;
        for (std::size_t i = 0; i < warp_lanes; ++i) known.offsets[i] = addresses[i] - begin;
        return count_anew(warp, op, kind, space, bytes, addresses, added);
      }
    }
    if (space == Space::global) ++warp.accesses;
    add_again(numbers, added, n);
  }
}

enum class Memory { global, shared, local };

/// Returns true for observers that see each access of machine code as the interpreter shows it.
template <class Observers>
constexpr bool sees_accesses = false;
template <>
constexpr bool sees_accesses<Observers<Races, Init>> = true;
template <>
constexpr bool sees_accesses<Observers<Counts, Races, Init>> = true;

/// The addresses of an access of all lanes, in their space and on the host.
struct WholeAddresses {
  Resolved place;
  alignas(64) std::uint64_t own[warp_lanes];  ///< in local memory, where they differ
};

/// Describes an access of all lanes to the observers.
template <Memory memory, class Address>
inline Access whole_access(Warp& warp, const Operation& op, AccessKind kind, std::size_t bytes,
                           const Address* addresses, const Piece& piece, bool neighbours,
                           WholeAddresses& to) {
  const auto offset = static_cast<Address>(op.offset);
  std::uint64_t* const own = memory == Memory::local ? to.own : to.place.at;
  const std::uint64_t first = static_cast<Address>(addresses[0] + offset);
  to.place.base = piece.host - piece.begin;
  to.place.valid = all_lanes;
  to.place.contiguous = to.place.steady = neighbours;
  if (neighbours) {
    for (std::uint64_t i = 0; i < warp_lanes; ++i) own[i] = first + i * bytes;
  } else {
    const std::uint64_t step = static_cast<Address>(addresses[1] + offset) - first;
    std::uint64_t different = 0;
    for (std::uint64_t i = 0; i < warp_lanes; ++i) {
      own[i] = static_cast<Address>(addresses[i] + offset);
      different |= own[i] ^ (first + step * i);
    }
    to.place.steady = memory != Memory::local && different == 0;
  }
  if constexpr (memory == Memory::local) {
    for (std::uint64_t i = 0; i < warp_lanes; ++i) to.place.at[i] = own[i] + i * piece.end;
  }
  Access access{op.space == Space::generic ? Space::global : op.space,
                kind,
                static_cast<int>(bytes),
                own,
                all_lanes,
                to.place.steady,
                op.site,
                &to.place};
  if constexpr (memory == Memory::shared) access.owner = warp.block;
  return access;
}

/// Calls body(at, T{}) for the states of each lane's element of `bytes`, in a type of this size.
template <Memory memory, class Address, class Body>
inline void each_state(std::size_t bytes, const Address* addresses, Address offset,
                       const Piece& piece, const Body& body) {
  struct Pair {
    std::uint64_t low, high;
  };
  const auto each = [&](auto element) {
    for (std::uint64_t i = 0; i < warp_lanes; ++i) {
      const std::uint64_t at = static_cast<Address>(addresses[i] + offset) - piece.begin;
      body(piece.shadow + at + (memory == Memory::local ? i * piece.end : 0), element);
    }
  };
  switch (bytes) {
    case 1: return each(std::uint8_t{});
    case 2: return each(std::uint16_t{});
    case 4: return each(std::uint32_t{});
    case 8: return each(std::uint64_t{});
    default: return each(Pair{});
  }
}

/// Returns true if no byte of a whole number of vectors is set.
inline bool are_zero(const std::byte* from, std::size_t bytes) {
  Vector any = _mm256_setzero_si256();
  for (std::size_t i = 0; i < bytes; i += sizeof(Vector))
    any = _mm256_or_si256(any, vector_at(from + i));
  return is_zero(any);
}

/// Does what Init does for an access of defined values. Returns false, and does nothing, for
/// others.
template <Memory memory, class Address>
inline bool stays_defined(const Warp& warp, const Operation& op, const Init& init, AccessKind kind,
                          std::size_t bytes, const Address* addresses, const Piece& piece,
                          bool neighbours) {
  if (!init.is_on() || op.space == Space::constant) return true;
  const bool stores = kind == AccessKind::store;
  if (stores && !init.stores_defined(warp)) return false;
  if (piece.shadow == nullptr) return true;
  const auto offset = static_cast<Address>(op.offset);
  if (neighbours) {
    std::byte* const first =
        piece.shadow + (static_cast<Address>(addresses[0] + offset) - piece.begin);
    if (!stores) return are_zero(first, bytes * warp_lanes);
    std::memset(first, 0, bytes * warp_lanes);
    return true;
  }
  if (stores) {
    each_state<memory>(bytes, addresses, offset, piece, [](std::byte* at, auto element) {
      element = {};
      std::memcpy(at, &element, sizeof(element));
    });
    return true;
  }
  std::uint64_t any = 0;
  each_state<memory>(bytes, addresses, offset, piece, [&](const std::byte* at, auto element) {
    std::memcpy(&element, at, sizeof(element));
    if constexpr (sizeof(element) <= sizeof(any))
      any |= element;
    else
      any |= element.low | element.high;
  });
  return any == 0;
}

/// Moves the values of all lanes by body(), and tells the observers.
template <class Observers, Memory memory, class Address, class Body>
inline void move_all(Warp& warp, const Operation& op, AccessKind kind, std::size_t bytes,
                     const Address* addresses, const Piece& piece, bool neighbours,
                     const Body& body) {
  if constexpr (sees_accesses<Observers>) {
    Observers& observers = Observers::of(warp);
    if constexpr (std::is_same_v<Observers, emulator::Observers<Races, Init>>) {
      const bool is_seen = memory == Memory::shared
                               ? observers.template get<Races>().is_on()
                               : memory == Memory::global && op.space != Space::constant &&
                                     (observers.template get<Races>().is_on() ||
                                      warp.worker->device->uses != nullptr);
      const bool is_defined = stays_defined<memory>(warp, op, observers.template get<Init>(), kind,
                                                    bytes, addresses, piece, neighbours);
      if (is_defined && !is_seen) return body();
      WholeAddresses to;
      const Access access =
          whole_access<memory>(warp, op, kind, bytes, addresses, piece, neighbours, to);
      if (is_seen) observers.template get<Races>().before_access(warp, op, access);
      body();
      if (is_seen) observers.template get<Races>().after_access(warp, op, access);
      if (is_defined) return;
      if constexpr (memory == Memory::global)  // where Init looks for the shadow
        warp.worker->last = warp.worker->quick_views[static_cast<std::size_t>(op.site) % views];
      observers.template get<Init>().after_access(warp, op, access);
    } else {
      WholeAddresses to;
      const Access access =
          whole_access<memory>(warp, op, kind, bytes, addresses, piece, neighbours, to);
      if constexpr (memory == Memory::global)
        warp.worker->last = warp.worker->quick_views[static_cast<std::size_t>(op.site) % views];
      observers.before_access(warp, op, access);
      body();
      observers.after_access(warp, op, access);
    }
  } else {
    if constexpr (Observers::any)
      tell<Observers>(warp, op, kind, static_cast<int>(bytes), addresses, neighbours);
    body();
  }
}

template <class Observers, class T, class S, S kept, class Address, bool is_shared>
void load(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  const auto* addresses = source<Address>(warp, op.a);
  const auto offset = static_cast<Address>(op.offset);
  const Address first = addresses[0] + offset;
  const Piece piece = piece_of<is_shared>(warp, op, first);
  if (warp.active != all_lanes || piece.host == nullptr) return run_handler<is_shared>(warp, op);
  S* to = destination<S>(warp, list_of(warp, op)[0]);
  if (are_neighbours<sizeof(T)>(addresses, first, piece)) {
    move_all<Observers, memory>(warp, op, AccessKind::load, sizeof(T), addresses, piece, true, [&] {
      load_neighbours<T, S, kept>(piece.host + (first - piece.begin), to);
    });
    return;
  }
  if (!are_inside(sizeof(T), addresses, offset, piece)) return run_handler<is_shared>(warp, op);
  move_all<Observers, memory>(warp, op, AccessKind::load, sizeof(T), addresses, piece, false, [&] {
    gather<T, S, kept>(piece.host, addresses, offset - static_cast<Address>(piece.begin), to);
  });
}

template <class Observers, class T, class S, class Address, bool is_shared>
void store(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  const auto* addresses = source<Address>(warp, op.a);
  const auto offset = static_cast<Address>(op.offset);
  const Address first = addresses[0] + offset;
  const Piece piece = piece_of<is_shared>(warp, op, first);
  if (warp.active != all_lanes || piece.host == nullptr) return run_handler<is_shared>(warp, op);
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
    scatter<T>(piece.host, addresses, offset - static_cast<Address>(piece.begin), from);
  });
}

constexpr std::size_t longest_vector = 16;

/// The same for vectors. Their elements may replace the addresses, so these are copied.
template <class Observers, class T, class Address, bool is_shared>
void load_vector(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  const std::size_t bytes = sizeof(T) * op.count;
  const auto offset = static_cast<Address>(op.offset);
  alignas(32) Address addresses[warp_lanes];
  std::copy_n(source<Address>(warp, op.a), warp_lanes, addresses);
  const Piece piece = piece_of<is_shared>(warp, op, static_cast<Address>(addresses[0] + offset));
  if (warp.active != all_lanes || piece.host == nullptr || bytes > longest_vector ||
      !are_inside(bytes, addresses, offset, piece))
    return run_handler<is_shared>(warp, op);
  const bool neighbours = sees_accesses<Observers> && are_in_a_row(addresses, bytes);
  move_all<Observers, memory>(warp, op, AccessKind::load, bytes, addresses, piece, neighbours, [&] {
    const std::int32_t* registers = list_of(warp, op);
    for (std::size_t e = 0; e < op.count; ++e) {
      const auto at =
          static_cast<Address>(offset - static_cast<Address>(piece.begin) + e * sizeof(T));
      gather<T, T, static_cast<T>(~T{0})>(piece.host, addresses, at,
                                          destination<T>(warp, registers[e]));
    }
  });
}

template <class Observers, class T, class Address, bool is_shared>
void store_vector(Warp& warp, const Operation& op) {
  constexpr Memory memory = is_shared ? Memory::shared : Memory::global;
  const std::size_t bytes = sizeof(T) * op.count;
  const auto* addresses = source<Address>(warp, op.a);
  const auto offset = static_cast<Address>(op.offset);
  const Piece piece = piece_of<is_shared>(warp, op, static_cast<Address>(addresses[0] + offset));
  if (warp.active != all_lanes || piece.host == nullptr || bytes > longest_vector ||
      !are_inside(bytes, addresses, offset, piece))
    return run_handler<is_shared>(warp, op);
  warp.wrote = true;
  const bool neighbours = sees_accesses<Observers> && are_in_a_row(addresses, bytes);
  move_all<Observers, memory>(
      warp, op, AccessKind::store, bytes, addresses, piece, neighbours, [&] {
        const std::int32_t* registers = list_of(warp, op);
        for (std::size_t e = 0; e < op.count; ++e) {
          const auto at =
              static_cast<Address>(offset - static_cast<Address>(piece.begin) + e * sizeof(T));
          scatter<T>(piece.host, addresses, at, source<T>(warp, registers[e]));
        }
      });
}

/// Each lane's local memory is a piece of its own.
inline Piece local_piece(const Warp& warp) {
  const std::uint64_t size = warp.worker->launch->local_bytes;
  const std::uint64_t before = std::uint64_t{warp.index} * warp_lanes * size;
  std::byte* const shadow = warp.block->local_shadow.data();
  return {0, size, warp.block->local.data() + before,
          shadow == nullptr ? nullptr : shadow + before};
}

template <class Observers, class T, class S, S kept>
void load_local(Warp& warp, const Operation& op) {
  const Piece piece = local_piece(warp);
  const auto* addresses = source<std::uint64_t>(warp, op.a);
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (warp.active != all_lanes || !are_inside(sizeof(T), addresses, offset, piece))
    return op.run(warp, op);
  S* to = destination<S>(warp, list_of(warp, op)[0]);
  move_all<Observers, Memory::local>(
      warp, op, AccessKind::load, sizeof(T), addresses, piece, false, [&] {
        const std::byte* own = piece.host;
        for (int i = 0; i < warp_lanes; ++i, own += piece.end) {
          T value;
          std::memcpy(&value, own + (addresses[i] + offset), sizeof(T));
          to[i] = static_cast<S>(value) & kept;
        }
      });
}

template <class Observers, class T, class S>
void store_local(Warp& warp, const Operation& op) {
  const Piece piece = local_piece(warp);
  const auto* addresses = source<std::uint64_t>(warp, op.a);
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (warp.active != all_lanes || !are_inside(sizeof(T), addresses, offset, piece))
    return op.run(warp, op);
  const S* from = source<S>(warp, list_of(warp, op)[0]);
  warp.wrote = true;
  move_all<Observers, Memory::local>(
      warp, op, AccessKind::store, sizeof(T), addresses, piece, false, [&] {
        std::byte* own = piece.host;
        for (int i = 0; i < warp_lanes; ++i, own += piece.end) {
          const T value = static_cast<T>(from[i]);
          std::memcpy(own + (addresses[i] + offset), &value, sizeof(T));
        }
      });
}

/// Returns true if all that loads by one register's addresses read is certainly defined.
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

/// Passes loads to the checks. Returns false, and has passed none, if one of them reads an
/// undefined value, or if they have to be checked one by one.
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
  for (int i = 0; i < warp_lanes; ++i) to[i] = static_cast<S>(value) & kept;
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

/// Quick functions for one handler, by the memory and the width of addresses.
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
  bool is_word_load = false;  ///< of 32 bits to a register of 32
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

/// Returns the quick functions of an operation; null if it has none.
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
