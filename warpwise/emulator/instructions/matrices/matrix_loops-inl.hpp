// SIMD code for sums of products: the functions of MatrixLoops in matrix_sum.hpp. This file has no
// include guard, because matrix_loops.cpp includes it once for each kind of CPU, in separate
// namespaces.

using Floats = float __attribute__((vector_size(32)));
using Integers = std::int32_t __attribute__((vector_size(32)));
using Shorts = std::int16_t __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(32)));
using Longs = std::int64_t __attribute__((vector_size(32)));

// Exponents of special elements of A and B. zero_exponent is used for zero. other_exponent is used
// for infinity, NaN and exponents beyond ±most_exponent, because their products may leave the range
// of floats. The exponent of a product is the sum of its elements' exponents. With one of these two
// values, it is below lowest_sum or above highest_sum.
constexpr std::int32_t zero_exponent = -4000;
constexpr std::int32_t other_exponent = 12000;
constexpr std::int32_t most_exponent = 50;
// Limits of the largest exponent in a sum. Beyond them, plain_sum() computes the result.
constexpr std::int32_t lowest_sum = -100;
constexpr std::int32_t highest_sum = 127;

inline Floats as_floats(Integers bits) { return reinterpret_cast<Floats>(bits); }
inline Integers bits_of(Floats values) { return reinterpret_cast<Integers>(values); }
/// Adds with wraparound, because lanes may overflow, which is undefined for signed integers. The
/// callers replace overflowed results if wraparound is not wanted.
inline Integers wrapped_sum(Integers a, Integers b) {
  using Words = std::uint32_t __attribute__((vector_size(32)));
  return reinterpret_cast<Integers>(reinterpret_cast<Words>(a) + reinterpret_cast<Words>(b));
}
inline Integers larger(Integers a, Integers b) { return a > b ? a : b; }

inline Integers exponents_of(Floats values, std::int32_t smallest) {
  const Integers magnitude = bits_of(values) & 0x7fffffff;
  const Integers all = (magnitude >> 23) - 127;
  const Integers least = Integers{} + smallest;
  return magnitude == 0 ? Integers{} + zero_exponent : larger(all, least);
}

/// Returns the exponents of eight elements of A or B.
inline Integers described(const float* values, std::int32_t smallest) {
  const Integers found = exponents_of(*reinterpret_cast<const Floats*>(values), smallest);
  const Integers is_kept =
      (found <= most_exponent) & ((found >= -most_exponent) | (found == zero_exponent));
  return is_kept ? found : Integers{} + other_exponent;
}

/// Packs two integers of 16 bits into each lane, `low` below `high`.
inline Integers paired(Integers low, Integers high) { return (low & 0xffff) | high << 16; }

/// Converts lanes `first` to `first` + 3 to doubles.
template <int first>
inline Doubles doubles_of(Integers values) {
  return __builtin_convertvector(
      __builtin_shufflevector(values, values, first, first + 1, first + 2, first + 3), Doubles);
}

/// Truncates doubles to floats, or rounds them to odd.
inline auto rounded(Doubles sum, bool to_odd) {
  // A float has 29 fraction bits fewer than a double.
  constexpr std::int64_t lost = (std::int64_t{1} << 29) - 1;
  auto bits = reinterpret_cast<Longs>(sum);
  if (to_odd) bits |= ((bits & lost) + lost) & (lost + 1);
  bits &= ~lost;
  using FourFloats = float __attribute__((vector_size(16)));
  return __builtin_convertvector(reinterpret_cast<Doubles>(bits), FourFloats);
}

/// Converts the sums low + high, in units of 2^unit, to floats. `finish` selects the rounding.
inline Floats finished(Integers low, Integers high, Integers unit, Finish finish) {
  const bool to_odd = finish == Finish::to_odd;
  const auto first = rounded(doubles_of<0>(low) + doubles_of<0>(high), to_odd);
  const auto second = rounded(doubles_of<4>(low) + doubles_of<4>(high), to_odd);
  const Floats whole = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
  const Floats result = whole * as_floats((unit + 127) << 23);
  return finish == Finish::truncate_more ? as_floats(bits_of(result) & kept_bits) : result;
}

template <int depth>
inline void add_floats(const FloatProduct& p) {
  constexpr int rows_at_once = 2;
  // Exponents of the elements as 16-bit integers. Each 32-bit lane takes two of them: in of_a those
  // of two neighbouring rows, in of_b the same one twice. One addition thus gives the exponents of
  // the products of two rows.
  alignas(32) std::int16_t of_a[std::size_t{most_sum_rows} * depth];
  Shorts of_b[std::size_t{depth}];
  using EightShorts = std::int16_t __attribute__((vector_size(16)));
  for (int i = 0; i < p.size.rows * depth; i += group_lines) {
    *reinterpret_cast<EightShorts*>(of_a + i) =
        __builtin_convertvector(described(p.a + i, p.smallest_of_a), EightShorts);
  }
  for (int group = 0; group < p.size.columns / group_lines; ++group) {
    const float* b = p.b + group * group_lines * depth;
    const auto* values_of_b = reinterpret_cast<const Floats*>(b);
    for (int k = 0; k < depth; ++k) {
      const Integers exponents = described(b + k * group_lines, p.smallest_of_b);
      of_b[k] = reinterpret_cast<Shorts>(paired(exponents, exponents));
    }
    for (int row = 0; row < p.size.rows; row += rows_at_once) {
      auto* sums = reinterpret_cast<Floats*>(p.sums) + group * p.size.rows + row;
      const auto at = static_cast<std::ptrdiff_t>(place_in_groups(row, 0, depth));
      const float* a = p.a + at;
      const auto* pairs_of_a = reinterpret_cast<const std::int32_t*>(of_a + at);
      auto largest_pairs = reinterpret_cast<Shorts>(
          paired(exponents_of(sums[0], -126), exponents_of(sums[1], -126)));
      for (int k = 0; k < depth; ++k) {
        const Integers pairs = Integers{} + pairs_of_a[k * group_lines / 2];
        const Shorts exponents = of_b[k] + reinterpret_cast<Shorts>(pairs);
        largest_pairs = largest_pairs > exponents ? largest_pairs : exponents;
      }
      const Shorts done_pairs = (largest_pairs >= lowest_sum) & (largest_pairs <= highest_sum);
      const Shorts kept_pairs = largest_pairs > lowest_sum ? largest_pairs : Shorts{} + lowest_sum;
      const auto both = reinterpret_cast<Integers>(kept_pairs);
      const Integers largest[rows_at_once] = {(both << 16) >> 16, both >> 16};
      Integers low[rows_at_once];
      Integers high[rows_at_once];
      Floats scale[rows_at_once];
      for (int i = 0; i < rows_at_once; ++i) {
        scale[i] = as_floats((p.fraction_bits + 127 - largest[i]) << 23);
        low[i] = __builtin_convertvector(sums[i] * scale[i], Integers);
        high[i] = Integers{};
      }
      // With 25 fraction bits, a term has at most 27 bits, so a sum of eight fits an integer.
      const auto add = [&](int from, int to, Integers* integers) {
#pragma GCC unroll 8
        for (int k = from; k < to; ++k) {
          for (int i = 0; i < rows_at_once; ++i) {
            const Floats product = values_of_b[k] * a[k * group_lines + i];
            integers[i] =
                wrapped_sum(integers[i], __builtin_convertvector(product * scale[i], Integers));
          }
        }
      };
      add(0, depth / 2, low);
      add(depth / 2, depth, high);
      const Floats addends[rows_at_once] = {sums[0], sums[1]};
      for (int i = 0; i < rows_at_once; ++i)
        sums[i] = finished(low[i], high[i], largest[i] - p.fraction_bits, p.finish);
      const auto done = reinterpret_cast<Longs>(done_pairs);
      if ((done[0] & done[1] & done[2] & done[3]) == -1) [[likely]]
        continue;
      // done_pairs is 0 where an exponent is outside the range of this loop: plain_sum() computes
      // these. If all products are zeros and C is +0, the result +0 is already right.
      for (int i = 0; i < rows_at_once * group_lines; ++i) {
        const int column = i / rows_at_once;
        const float c = addends[i % rows_at_once][column];
        if (done_pairs[i] != 0) continue;
        if (largest_pairs[i] < zero_exponent / 2 && std::bit_cast<std::int32_t>(c) == 0) continue;
        sums[i % rows_at_once][column] = plain_sum(p, a + i % rows_at_once, b + column, c);
      }
    }
  }
}

inline void add_floats_of_any_depth(const FloatProduct& p) {
  switch (p.size.depth) {
    case 8: return add_floats<8>(p);
    case 16: return add_floats<16>(p);
    default: return add_floats<32>(p);
  }
}

inline void add_doubles(ProductSize size, const double* a, const double* b, double* sums) {
  for (int group = 0; group < size.columns / group_lines; ++group) {
    for (int row = 0; row < size.rows; ++row) {
      double* to = sums + (group * size.rows + row) * group_lines;
      for (int k = 0; k < size.depth; ++k) {
        const double* from = b + (group * size.depth + k) * group_lines;
        const double factor = a[place_in_groups(row, k, size.depth)];
        for (int i = 0; i < group_lines; ++i) to[i] = __builtin_fma(factor, from[i], to[i]);
      }
    }
  }
}

inline void add_integers(ProductSize size, const float* a, const float* b, std::int32_t* sums,
                         bool saturates) {
  for (int group = 0; group < size.columns / group_lines; ++group) {
    const auto* from = reinterpret_cast<const Floats*>(b) + group * size.depth;
    for (int row = 0; row < size.rows; row += 2) {
      Floats products[2] = {};  // exact: fewer than 24 bits
      const float* of_a = a + place_in_groups(row, 0, size.depth);
      for (int k = 0; k < size.depth; ++k) {
        products[0] += from[k] * of_a[k * group_lines];
        products[1] += from[k] * of_a[k * group_lines + 1];
      }
      auto* to = reinterpret_cast<Integers*>(sums) + group * size.rows + row;
      for (int i = 0; i < 2; ++i) {
        const Integers added = __builtin_convertvector(products[i], Integers);
        const Integers sum = wrapped_sum(to[i], added);
        // A sum has overflowed if its sign differs from the signs of both addends.
        const Integers limit = (to[i] >> 31) ^ std::numeric_limits<std::int32_t>::max();
        const Integers overflows = ((sum ^ to[i]) & (sum ^ added)) < 0;
        to[i] = saturates ? (overflows ? limit : sum) : sum;
      }
    }
  }
}

/// Converts the magnitude of a narrow float to a float. `moved` holds the narrow float's exponent
/// and fraction, shifted so that the fraction's highest bit is bit 22.
/// \param bias  difference of the exponents' biases
/// \param least  the smallest normal number of the narrow format
inline Floats magnitude_of(Integers moved, std::int32_t bias, float least) {
  // CPUs are slow with subnormal numbers. A subnormal value is therefore computed as a difference
  // of two normal numbers.
  const Integers normal = moved + (bias << 23);
  const Floats subnormal = as_floats(normal + (1 << 23)) - least;
  return moved < (1 << 23) ? subnormal : as_floats(normal);
}

/// Converts halves, each zero-extended to 32 bits.
inline Floats of_halves(Integers bits) {
  const Integers magnitude = bits & 0x7fff;
  const Floats finite = magnitude_of(magnitude << 13, 127 - 15, 0x1p-14F);
  const Integers other = (magnitude >= 0x7c00) & 0x7f800000;
  return as_floats(bits_of(finite) | other | (bits & 0x8000) << 16);
}

template <Element element>
inline Floats converted(Integers bits) {
  switch (element) {
    case Element::f16: return of_halves(bits);
    case Element::bf16: return as_floats(bits << 16);
    case Element::e5m2: return of_halves(bits << 8);
    case Element::e4m3: {
      const Integers magnitude = bits & 0x7f;
      const Floats finite = magnitude_of(magnitude << 20, 127 - 7, 0x1p-6F);
      const Integers nan = (magnitude == 0x7f) & 0x7fc00000;
      return as_floats(bits_of(finite) | nan | (bits & 0x80) << 24);
    }
    case Element::s8: return __builtin_convertvector((bits ^ 0x80) - 0x80, Floats);
    case Element::s4: return __builtin_convertvector((bits ^ 8) - 8, Floats);
    case Element::tf32: return as_floats(bits & static_cast<std::int32_t>(0xffffe000));
    default: return __builtin_convertvector(bits, Floats);  // u8, u4
  }
}

template <Element element, int bits>
inline void unpack_elements(const std::uint32_t* words, int pitch, float* to) {
  constexpr std::int32_t mask = bits == 32 ? -1 : (1 << (bits % 32)) - 1;
  constexpr int packed = 32 / bits;
  // Transposes the words: column j has word j of each line.
  Integers columns[unpacked_words];
  using FourWords = std::int32_t __attribute__((vector_size(16)));
  Integers rows[4];
  for (int i = 0; i < 4; ++i) {
    FourWords upper;
    FourWords lower;
    std::memcpy(&upper, words + i * pitch, sizeof(upper));
    std::memcpy(&lower, words + (i + 4) * pitch, sizeof(lower));
    rows[i] = __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  const Integers even_low = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const Integers even_high = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const Integers odd_low = __builtin_shufflevector(rows[2], rows[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const Integers odd_high = __builtin_shufflevector(rows[2], rows[3], 2, 10, 3, 11, 6, 14, 7, 15);
  columns[0] = __builtin_shufflevector(even_low, odd_low, 0, 1, 8, 9, 4, 5, 12, 13);
  columns[1] = __builtin_shufflevector(even_low, odd_low, 2, 3, 10, 11, 6, 7, 14, 15);
  columns[2] = __builtin_shufflevector(even_high, odd_high, 0, 1, 8, 9, 4, 5, 12, 13);
  columns[3] = __builtin_shufflevector(even_high, odd_high, 2, 3, 10, 11, 6, 7, 14, 15);
  auto* out = reinterpret_cast<Floats*>(to);
  for (int j = 0; j < unpacked_words; ++j) {
    for (int e = 0; e < packed; ++e) *out++ = converted<element>((columns[j] >> (bits * e)) & mask);
  }
}

inline void unpack(Element element, const std::uint32_t* words, int pitch, float* to) {
  switch (element) {
    case Element::f16: return unpack_elements<Element::f16, 16>(words, pitch, to);
    case Element::bf16: return unpack_elements<Element::bf16, 16>(words, pitch, to);
    case Element::tf32: return unpack_elements<Element::tf32, 32>(words, pitch, to);
    case Element::e4m3: return unpack_elements<Element::e4m3, 8>(words, pitch, to);
    case Element::e5m2: return unpack_elements<Element::e5m2, 8>(words, pitch, to);
    case Element::s8: return unpack_elements<Element::s8, 8>(words, pitch, to);
    case Element::u8: return unpack_elements<Element::u8, 8>(words, pitch, to);
    case Element::s4: return unpack_elements<Element::s4, 4>(words, pitch, to);
    default: return unpack_elements<Element::u4, 4>(words, pitch, to);
  }
}

inline void from_halves(const std::uint16_t* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; i += group_lines) {
    using EightHalves = std::uint16_t __attribute__((vector_size(16)));
    const auto halves = *reinterpret_cast<const EightHalves*>(from + i);
    *reinterpret_cast<Floats*>(to + i) = of_halves(__builtin_convertvector(halves, Integers));
  }
}

inline void to_halves(const float* from, std::size_t count, std::uint16_t* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const std::uint32_t rounded =
        ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - ((127U - 15U) << 10);
    // Below 2^-14, the addition of 1/2 rounds a magnitude to a multiple of 2^-24.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
        std::bit_cast<std::uint32_t>(0.5F);
    std::uint32_t result = magnitude < 0x38800000U ? subnormal : rounded;
    result = magnitude >= 0x47800000U ? 0x7c00U : result;  // infinity from 2^16 on
    result |= bits >> 16 & 0x8000U;
    to[i] = static_cast<std::uint16_t>(magnitude > 0x7f800000U ? 0x7fffU : result);
  }
}

constexpr MatrixLoops loops = {
    add_floats_of_any_depth, add_doubles, add_integers, unpack, from_halves, to_halves};
