// Addresses of all lanes of a warp, the memory that they reach, and copies from and to it. This
// file has no include guard, because only quick_access.cpp includes it, inside its namespace.

template <class T>
constexpr std::array<T, warp_lanes> multiples(T step) {
  std::array<T, warp_lanes> all{};
  for (std::size_t i = 0; i < warp_lanes; ++i) all[i] = static_cast<T>(i) * step;
  return all;
}

/// Distances of the lanes' addresses from the first one, in an access of neighbouring elements.
template <class Address, std::size_t bytes>
alignas(64) constexpr std::array<Address, warp_lanes> distances = multiples<Address>(bytes);

/// Memory that an access may touch: addresses from `begin` up to `end`. `host` points to `begin`.
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

/// Number of addresses in a vector.
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

/// Returns true if each lane's access lies inside the piece and is aligned.
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
[[gnu::always_inline]] inline bool are_neighbours(const Address* addresses, std::uint64_t first,
                                                  const Piece& piece) {
  constexpr std::uint64_t all = bytes * warp_lanes;
  if (piece.end - piece.begin < all || first - piece.begin > piece.end - piece.begin - all ||
      (first & (bytes - 1)) != 0)
    return false;
  return are_at(addresses, addresses[0], distances<Address, bytes>.data());
}

/// Returns true if each lane's address is `bytes` after the address of the lane before.
template <class Address>
inline bool are_in_a_row(const Address* addresses, std::size_t bytes) {
  Address different = 0;
  for (std::size_t i = 0; i < warp_lanes; ++i)
    different |= addresses[i] ^ static_cast<Address>(addresses[0] + i * bytes);
  return different == 0;
}

template <class Address>
[[gnu::noinline]] const Address* filled_addresses(Mask active, const Address* all, Address* own) {
  const Address first = all[std::countr_zero(active)];
  for (int i = 0; i < warp_lanes; ++i) own[i] = (active >> i & 1) != 0 ? all[i] : first;
  return own;
}

/// Returns an access's addresses. If some lanes are inactive, the result is `own`, in which these
/// lanes get the first active lane's address.
template <class Address>
[[gnu::always_inline]] inline const Address* active_addresses(const Warp& warp, const Operation& op,
                                                              Address* own) {
  const auto* const all = source<Address>(warp, op.a);
  return warp.active == all_lanes ? all : filled_addresses(warp.active, all, own);
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
inline void gather(const std::byte* from, const Address* addresses, Address offset, S* to,
                   Mask lanes) {
  if (lanes != all_lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const int i = std::countr_zero(lanes);
      T value;
      std::memcpy(&value, from + static_cast<Address>(addresses[i] + offset), sizeof(T));
      to[i] = static_cast<S>(value) & kept;
    }
    return;
  }
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
inline void scatter(std::byte* to, const Address* addresses, Address offset, const S* from,
                    Mask lanes) {
  if (lanes != all_lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const int i = std::countr_zero(lanes);
      const T value = static_cast<T>(from[i]);
      std::memcpy(to + static_cast<Address>(addresses[i] + offset), &value, sizeof(T));
    }
    return;
  }
#pragma GCC unroll 32
  for (int i = 0; i < warp_lanes; ++i) {
    const T value = static_cast<T>(from[i]);
    std::memcpy(to + static_cast<Address>(addresses[i] + offset), &value, sizeof(T));
  }
}

constexpr std::size_t views = std::tuple_size_v<decltype(Worker::quick_views)>;

/// Returns the piece of shared memory around an address that its access may touch. The piece is
/// all of shared memory, or ends at a gap. A gap is a forbidden range between two variables, which
/// only code for the checks has.
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
