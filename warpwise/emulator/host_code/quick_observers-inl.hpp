// Shows accesses of a warp's active lanes to the counts and the checks. This file has no include
// guard, because only quick_access.cpp includes it, inside its namespace and compiled for AVX2.

/// Counts an access. Stores in `added` what an access of a whole warp adds to the counts.
template <class Address>
[[gnu::noinline]] void count_anew(Warp& warp, const Operation& op, AccessKind kind, Space space,
                                  int bytes, const Address* addresses, std::uint64_t* added) {
  Counts& counts = Observers<Counts>::of(warp).get<Counts>();
  std::uint64_t sums[warp_lanes];
  const auto offset = static_cast<Address>(op.offset);
  for (int i = 0; i < warp_lanes; ++i) sums[i] = static_cast<Address>(addresses[i] + offset);
  Access access{space, kind, bytes, sums, warp.active};
  access.site = op.site;
  if (warp.active != all_lanes) return counts.after_access(warp, op, access);
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

/// Counts an access. An access by generic addresses counts as an access to global memory.
template <class Observers, class Address>
inline void tell(Warp& warp, const Operation& op, AccessKind kind, int bytes,
                 const Address* addresses, bool neighbours) {
  if constexpr (Observers::any) {
    const Space space = op.space == Space::generic ? Space::global : op.space;
    if (warp.active != all_lanes)
      return count_anew(warp, op, kind, space, bytes, addresses, nullptr);
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
      // `begin` is the start of the aligned 256 bytes of the first access. Like `addresses`, it
      // does not include the operation's offset.
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

/// Is true for sets of observers that check accesses. For other sets, tell() counts an access.
template <class Observers>
constexpr bool sees_accesses = false;
template <>
constexpr bool sees_accesses<Observers<Races, Init>> = true;
template <>
constexpr bool sees_accesses<Observers<Counts, Races, Init>> = true;

/// The addresses of an access, in their space and on the host.
struct WholeAddresses {
  Resolved place;
  alignas(64) std::uint64_t own[warp_lanes];  ///< offsets in each lane's local memory
};

/// Returns the description of an access of the active lanes that observers get.
template <Memory memory, class Address>
inline Access whole_access(Warp& warp, const Operation& op, AccessKind kind, std::size_t bytes,
                           const Address* addresses, const Piece& piece, bool neighbours,
                           WholeAddresses& to) {
  const auto offset = static_cast<Address>(op.offset);
  std::uint64_t* const own = memory == Memory::local ? to.own : to.place.at;
  const std::uint64_t first = static_cast<Address>(addresses[0] + offset);
  to.place.base = piece.host - piece.begin;
  to.place.valid = warp.active;
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
    to.place.steady = memory != Memory::local && different == 0 && warp.active == all_lanes;
  }
  if constexpr (memory == Memory::local) {
    const auto first_active = static_cast<std::uint64_t>(std::countr_zero(warp.active));
    for (std::uint64_t i = 0; i < warp_lanes; ++i)
      to.place.at[i] = own[i] + ((warp.active >> i & 1) != 0 ? i : first_active) * piece.end;
  }
  Access access{op.space == Space::generic ? Space::global : op.space,
                kind,
                static_cast<int>(bytes),
                own,
                warp.active,
                to.place.steady,
                op.site,
                &to.place};
  if constexpr (memory == Memory::shared) access.owner = warp.block;
  return access;
}

/// Calls body(at, T{}) for each lane's element. In local memory, inactive lanes are left out. `at`
/// points to the element's bytes in the shadow memory, which says if they are defined. T is a type
/// of `bytes` bytes.
template <Memory memory, class Address, class Body>
inline void each_state(Mask lanes, std::size_t bytes, const Address* addresses, Address offset,
                       const Piece& piece, const Body& body) {
  struct Pair {
    std::uint64_t low, high;
  };
  const auto each = [&](auto element) {
    for (std::uint64_t i = 0; i < warp_lanes; ++i) {
      if (memory == Memory::local && (lanes >> i & 1) == 0) continue;
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

/// Returns true if all bytes are zero. `bytes` is a multiple of a vector's size.
inline bool are_zero(const std::byte* from, std::size_t bytes) {
  Vector any = _mm256_setzero_si256();
  for (std::size_t i = 0; i < bytes; i += sizeof(Vector))
    any = _mm256_or_si256(any, vector_at(from + i));
  return is_zero(any);
}

/// Does the work of the observer Init for an access whose values are all defined. For any other
/// access, does nothing and returns false.
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
    each_state<memory>(warp.active, bytes, addresses, offset, piece,
                       [](std::byte* at, auto element) {
                         element = {};
                         std::memcpy(at, &element, sizeof(element));
                       });
    return true;
  }
  std::uint64_t any = 0;
  each_state<memory>(warp.active, bytes, addresses, offset, piece,
                     [&](const std::byte* at, auto element) {
                       std::memcpy(&element, at, sizeof(element));
                       if constexpr (sizeof(element) <= sizeof(any))
                         any |= element;
                       else
                         any |= element.low | element.high;
                     });
  return any == 0;
}

/// Executes an access and shows it to the observers. body() does the load or the store for the
/// active lanes.
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
      if constexpr (memory != Memory::local) {
        Races& races = observers.template get<Races>();
        const auto first = static_cast<Address>(addresses[0] + static_cast<Address>(op.offset));
        constexpr Space space = memory == Memory::shared ? Space::shared : Space::global;
        if (is_defined && neighbours && bytes <= Races::most_passing_bytes &&
            races.passes(warp, op, space, kind, first, bytes)) {
          body();
          if constexpr (space == Space::global) races.after_passing(warp, op, kind, first, bytes);
          return;
        }
      }
      WholeAddresses to;
      const Access access =
          whole_access<memory>(warp, op, kind, bytes, addresses, piece, neighbours, to);
      if (is_seen) observers.template get<Races>().before_access(warp, op, access);
      body();
      if (is_seen) observers.template get<Races>().after_access(warp, op, access);
      if (is_defined) return;
      if constexpr (memory == Memory::global)  // Init finds the shadow through Worker::last
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
