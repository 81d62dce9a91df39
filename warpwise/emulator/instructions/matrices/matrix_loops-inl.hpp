// Sums of products for vectors of the CPU: see matrix_sum.hpp. No include guard: matrix_loops.cpp
// includes this for each kind of CPU, in its own namespace.

using Floats = float __attribute__((vector_size(32)));
using Integers = std::int32_t __attribute__((vector_size(32)));
using Shorts = std::int16_t __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(32)));
using Longs = std::int64_t __attribute__((vector_size(32)));

// Exponents that stand for zero, and for numbers that the vectors leave to a plain sum: infinity,
// NaN, and those whose products leave the range of floats. Two of them add to one of the same kind.
constexpr std::int32_t zero_exponent = -4000;
constexpr std::int32_t other_exponent = 12000;
constexpr std::int32_t most_exponent = 50;
// Limits of a sum's largest exponent in vectors.
constexpr std::int32_t lowest_sum = -100;
constexpr std::int32_t highest_sum = 127;

inline Floats as_floats(Integers bits) { return reinterpret_cast<Floats>(bits); }
inline Integers bits_of(Floats values) { return reinterpret_cast<Integers>(values); }
inline Integers larger(Integers a, Integers b) { return a > b ? a : b; }

inline Integers exponents_of(Floats values, std::int32_t smallest) {
  const Integers magnitude = bits_of(values) & 0x7fffffff;
  const Integers all = (magnitude >> 23) - 127;
  const Integers least = Integers{} + smallest;
  const Integers exponents = larger(all, least);
  return magnitude == 0 ? Integers{} + zero_exponent : exponents;
}

/// Returns the exponents of eight elements of A or B.
inline Integers described(const float* values, std::int32_t smallest) {
  const Integers found = exponents_of(*reinterpret_cast<const Floats*>(values), smallest);
  const Integers is_kept =
      (found <= most_exponent) & ((found >= -most_exponent) | (found == zero_exponent));
  return is_kept ? found : Integers{} + other_exponent;
}

/// Returns integers of 16 bits in pairs.
inline Integers paired(Integers low, Integers high) { return (low & 0xffff) | high << 16; }

/// Returns the doubles of lanes 0 to 3, or 4 to 7.
template <int first>
inline Doubles doubles_of(Integers values) {
  return __builtin_convertvector(
      __builtin_shufflevector(values, values, first, first + 1, first + 2, first + 3), Doubles);
}

/// Truncates to a float, or rounds to odd.
inline auto rounded(Doubles sum, bool to_odd) {
  // A float has 29 bits of fraction less than a double.
  constexpr std::int64_t lost = (std::int64_t{1} << 29) - 1;
  auto bits = reinterpret_cast<Longs>(sum);
  if (to_odd) bits |= ((bits & lost) + lost) & (lost + 1);
  bits &= ~lost;
  using FourFloats = float __attribute__((vector_size(16)));
  return __builtin_convertvector(reinterpret_cast<Doubles>(bits), FourFloats);
}

/// Finishes sums in units of 2^unit.
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
  // Exponents, those of two rows in pairs.
  constexpr auto pairs_of_a = std::size_t{most_sum_rows / rows_at_once * depth / group_columns};
  Integers of_a[pairs_of_a];
  Shorts of_b[std::size_t{depth}];
  for (int row = 0; row < p.size.rows; row += rows_at_once) {
    for (int k = 0; k < depth; k += group_columns) {
      const float* first = p.a + row * depth + k;
      of_a[(row / rows_at_once * depth + k) / group_columns] =
          paired(described(first, p.smallest_of_a), described(first + depth, p.smallest_of_a));
    }
  }
  const auto* exponents_of_a = reinterpret_cast<const std::int32_t*>(of_a);
  for (int group = 0; group < p.size.columns / group_columns; ++group) {
    const float* b = p.b + group * group_columns * depth;
    const auto* values_of_b = reinterpret_cast<const Floats*>(b);
    for (int k = 0; k < depth; ++k) {
      const Integers exponents = described(b + k * group_columns, p.smallest_of_b);
      of_b[k] = reinterpret_cast<Shorts>(paired(exponents, exponents));
    }
    for (int row = 0; row < p.size.rows; row += rows_at_once) {
      auto* sums = reinterpret_cast<Floats*>(p.sums) + group * p.size.rows + row;
      auto largest_pairs = reinterpret_cast<Shorts>(
          paired(exponents_of(sums[0], -126), exponents_of(sums[1], -126)));
      for (int k = 0; k < depth; ++k) {
        const Integers pairs = Integers{} + exponents_of_a[row / rows_at_once * depth + k];
        const Shorts exponents = of_b[k] + reinterpret_cast<Shorts>(pairs);
        largest_pairs = largest_pairs > exponents ? largest_pairs : exponents;
      }
      const auto both = reinterpret_cast<Integers>(largest_pairs);
      Integers largest[rows_at_once] = {(both << 16) >> 16, both >> 16};
      Integers low[rows_at_once];
      Integers high[rows_at_once];
      Floats scale[rows_at_once];
      Integers is_done[rows_at_once];
      for (int i = 0; i < rows_at_once; ++i) {
        is_done[i] = ((largest[i] >= lowest_sum) & (largest[i] <= highest_sum)) |
                     ((largest[i] < zero_exponent / 2) & (bits_of(sums[i]) == 0));
        largest[i] = larger(largest[i], Integers{} + lowest_sum);
        scale[i] = as_floats((p.fraction_bits + 127 - largest[i]) << 23);
        low[i] = __builtin_convertvector(sums[i] * scale[i], Integers);
        high[i] = Integers{};
      }
      // A term has fewer than 27 bits, so eight fit an integer.
      const auto add = [&](int from, int to, Integers* integers) {
#pragma GCC unroll 8
        for (int k = from; k < to; ++k) {
          for (int i = 0; i < rows_at_once; ++i) {
            const Floats product = values_of_b[k] * p.a[(row + i) * depth + k];
            integers[i] += __builtin_convertvector(product * scale[i], Integers);
          }
        }
      };
      add(0, depth / 2, low);
      add(depth / 2, depth, high);
      for (int i = 0; i < rows_at_once; ++i) {
        const Floats addends = sums[i];
        sums[i] = finished(low[i], high[i], largest[i] - p.fraction_bits, p.finish);
        const auto done = reinterpret_cast<std::int64_t __attribute__((vector_size(32)))>(is_done[i]);
        if ((done[0] & done[1] & done[2] & done[3]) == -1) [[likely]] continue;
        for (int column = 0; column < group_columns; ++column) {
          if (is_done[i][column] == 0)
            sums[i][column] = plain_sum(p, p.a + (row + i) * depth, b + column, addends[column]);
        }
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
  for (int group = 0; group < size.columns / group_columns; ++group) {
    for (int row = 0; row < size.rows; ++row) {
      double* to = sums + (group * size.rows + row) * group_columns;
      for (int k = 0; k < size.depth; ++k) {
        const double* from = b + (group * size.depth + k) * group_columns;
        const double factor = a[row * size.depth + k];
        for (int i = 0; i < group_columns; ++i) to[i] = __builtin_fma(factor, from[i], to[i]);
      }
    }
  }
}

inline void add_integers(ProductSize size, const float* a, const float* b, std::int32_t* sums,
                         bool saturates) {
  for (int group = 0; group < size.columns / group_columns; ++group) {
    const auto* from = reinterpret_cast<const Floats*>(b) + group * size.depth;
    for (int row = 0; row < size.rows; row += 2) {
      Floats products[2] = {};  // exact: of less than 24 bits
      for (int k = 0; k < size.depth; ++k) {
        products[0] += from[k] * a[row * size.depth + k];
        products[1] += from[k] * a[(row + 1) * size.depth + k];
      }
      auto* to = reinterpret_cast<Integers*>(sums) + group * size.rows + row;
      for (int i = 0; i < 2; ++i) {
        const Integers added = __builtin_convertvector(products[i], Integers);
        using Words = std::uint32_t __attribute__((vector_size(32)));
        const auto sum = reinterpret_cast<Integers>(reinterpret_cast<Words>(to[i]) +
                                                    reinterpret_cast<Words>(added));
        // A sum has overflowed if its sign is that of neither addend.
        const Integers limit = (to[i] >> 31) ^ std::numeric_limits<std::int32_t>::max();
        const Integers overflows = ((sum ^ to[i]) & (sum ^ added)) < 0;
        to[i] = saturates ? (overflows ? limit : sum) : sum;
      }
    }
  }
}

inline void from_halves(const std::uint16_t* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = from[i] & 0x7fffU;
    // Multiplying changes the exponent's bias from 15 to 127, also of subnormal numbers.
    const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
    const std::uint32_t other = magnitude >= 0x7c00 ? 0x7f800000U : 0;
    to[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(finite) | other |
                                 (from[i] & 0x8000U) << 16);
  }
}

inline void to_halves(const float* from, std::size_t count, std::uint16_t* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const std::uint32_t rounded =
        ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - ((127U - 15U) << 10);
    // Below 2^-14 a sum with 1/2 rounds to a multiple of 2^-24.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
        std::bit_cast<std::uint32_t>(0.5F);
    std::uint32_t result = magnitude < 0x38800000U ? subnormal : rounded;
    result = magnitude >= 0x47800000U ? 0x7c00U : result;  // from 2^16 on
    result |= bits >> 16 & 0x8000U;
    to[i] = static_cast<std::uint16_t>(magnitude > 0x7f800000U ? 0x7fffU : result);
  }
}

constexpr MatrixLoops loops = {add_floats_of_any_depth, add_doubles, add_integers, from_halves,
                               to_halves};
