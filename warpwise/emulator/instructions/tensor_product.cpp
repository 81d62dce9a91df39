// Products of small matrices by a warp: mma and wmma.mma.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "warpwise/emulator/instructions/fragments.hpp"
#include "warpwise/emulator/instructions/numbers.hpp"

namespace warpwise::emulator::tensor {
namespace {

constexpr int most_rows = 16;
constexpr int most_depth = 32;

template <class T>
using Left = std::array<std::array<T, most_depth>, most_rows>;  // rows of A
template <class T>
using Right = std::array<std::array<T, most_depth>, most_rows>;  // columns of B

/// The exponent that hardware gives an operand: a subnormal has the smallest one.
int exponent_of(double value, int smallest) {
  return value == 0 ? smallest : std::max(std::ilogb(value), smallest);
}

// Fraction bits below the largest term's leading one that a sum keeps.
constexpr int sum_fraction_bits = 25;

/// Sum of a[i] * b[i] and c in the matrix unit's fixed point: each term is cut off below 2^-25 of
/// the largest exponent, the sum is exact (and later cut off to the float). NVIDIA documents none
/// of this: it is what gives an H200's bits, as far as random matrices of many spreads of exponents
/// tell. Older generations are said to keep fewer bits and to add fewer terms at once.
double accumulate(const float* a, const float* b, int depth, double c, int smallest) {
  constexpr int smallest_float = -126;
  std::array<double, most_depth + 1> terms;
  double special = 0;  // finite, unless some term is not
  bool is_special = false;
  int largest = std::numeric_limits<int>::min();
  const auto add = [&](std::size_t i, double value, int exponent) {
    terms[i] = value;
    if (!std::isfinite(value)) {
      special += value;
      is_special = true;
    } else if (value != 0) {
      largest = std::max(largest, exponent);
    }
  };
  for (int i = 0; i < depth; ++i) {
    const double x = a[i];
    const double y = b[i];
    const bool finite = std::isfinite(x) && std::isfinite(y);
    add(static_cast<std::size_t>(i), x * y,
        finite ? exponent_of(x, smallest) + exponent_of(y, smallest) : 0);
  }
  add(static_cast<std::size_t>(depth), c, std::isfinite(c) ? exponent_of(c, smallest_float) : 0);
  if (is_special) return special;
  if (largest == std::numeric_limits<int>::min()) {
    // Only zeros: negative if all are.
    double sum = c;
    for (int i = 0; i < depth; ++i) sum += terms[static_cast<std::size_t>(i)];
    return sum;
  }
  const double scale = std::ldexp(1.0, sum_fraction_bits - largest);
  std::int64_t sum = 0;
  for (int i = 0; i <= depth; ++i) {
    sum += static_cast<std::int64_t>(terms[static_cast<std::size_t>(i)] * scale);
  }
  return std::ldexp(static_cast<double>(sum), largest - sum_fraction_bits);
}

/// A sum as a float: cut off, infinite from 2^128 on.
float toward_zero(double x) {
  const auto nearest = static_cast<float>(x);
  if (x != x) return std::bit_cast<float>(0x7fffffffU);
  if (std::fabs(x) >= std::ldexp(1.0, 128) ||
      std::fabs(static_cast<double>(nearest)) <= std::fabs(x)) {
    return nearest;
  }
  return std::nextafter(nearest, 0.0f);
}

std::uint16_t half_bits(double x) { return encode(x, half_format); }

std::int32_t saturated(std::int64_t sum, bool saturates) {
  if (saturates) {
    sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max());
  }
  return static_cast<std::int32_t>(sum);
}

float small_float(std::uint32_t word, int element, SmallFormat format) {
  const auto bits = static_cast<std::uint16_t>(word >> (16 * element));
  return static_cast<float>(decode(bits, format));
}

int small_integer(std::uint32_t word, int element, bool is_signed) {
  const auto bits = static_cast<std::uint8_t>(word >> (8 * element));
  return is_signed ? static_cast<std::int8_t>(bits) : bits;
}

/// A and B of a product of depth `depth`, from a_registers and b_registers of `packed` elements
/// each.
template <class T, class Read>
void gather(const Registers& from, int a_registers, int b_registers, int packed, Left<T>& a,
            Right<T>& b, const Read& read) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int e = 0; e < packed; ++e) {
      for (int r = 0; r < a_registers; ++r) {
        const Place p = place_in_a(lane, r, e, packed);
        a[static_cast<std::size_t>(p.row)][static_cast<std::size_t>(p.column)] =
            read(from.word(r, lane), e, true);
      }
      for (int r = 0; r < b_registers; ++r) {
        const Place p = place_in_b(lane, r, e, packed);
        b[static_cast<std::size_t>(p.column)][static_cast<std::size_t>(p.row)] =
            read(from.word(a_registers + r, lane), e, false);
      }
    }
  }
}

/// Element i of a lane's part of a sum that begins at `list`: of floats, or of halves two in a
/// register.
double read_sum(const Registers& from, int i, int lane, bool halves) {
  const std::uint32_t word = from.word(halves ? i >> 1 : i, lane);
  return halves ? decode(static_cast<std::uint16_t>(word >> (16 * (i & 1))), half_format)
                : static_cast<double>(std::bit_cast<float>(word));
}
void write_sum(Words& words, int i, int lane, double sum, bool halves) {
  const auto at = static_cast<std::size_t>(lane);
  if (halves) {
    words[static_cast<std::size_t>(i >> 1)][at] |= static_cast<std::uint32_t>(half_bits(sum))
                                                   << (16 * (i & 1));
  } else {
    words[static_cast<std::size_t>(i)][at] = std::bit_cast<std::uint32_t>(toward_zero(sum));
  }
}

}  // namespace

/// D = A B + C of 16 rows and 8 columns, of halves or bfloats. Operands: D, A, B, C.
void multiply_floats(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const auto flags = flags_of<ProductFlags>(op);
  const int depth = static_cast<int>(flags.depth);
  const int results = flags.half_result != 0 ? 2 : 4;
  const int a_registers = depth / 4;
  const int b_registers = depth / 8;
  const SmallFormat format = flags.bfloats != 0 ? bfloat_format : half_format;
  Left<float> a;
  Right<float> b;
  gather(Registers{warp, list + results}, a_registers, b_registers, 2, a, b,
         [&](std::uint32_t word, int e, bool) { return small_float(word, e, format); });
  const Registers c{warp, list + results + a_registers + b_registers};
  const int smallest = flags.bfloats != 0 ? -126 : -14;
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const Place p = place_in_c(lane, i);
      const double sum = accumulate(a[static_cast<std::size_t>(p.row)].data(),
                                    b[static_cast<std::size_t>(p.column)].data(), depth,
                                    read_sum(c, i, lane, flags.half_addend != 0), smallest);
      write_sum(words, i, lane, sum, flags.half_result != 0);
    }
  }
  write_registers(warp, list, results, words);
}

/// The same of bytes, with 8 or 16 rows.
void multiply_integers(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const auto flags = flags_of<ProductFlags>(op);
  const int depth = static_cast<int>(flags.depth);
  const int tall = flags.sixteen_rows != 0 ? 2 : 1;
  const int results = 2 * tall;
  const int b_registers = depth / 16;
  const int a_registers = b_registers * tall;
  Left<int> a;
  Right<int> b;
  gather(Registers{warp, list + results}, a_registers, b_registers, 4, a, b,
         [&](std::uint32_t word, int e, bool of_a) {
           return small_integer(word, e, (of_a ? flags.a_signed : flags.b_signed) != 0);
         });
  const Registers c{warp, list + results + a_registers + b_registers};
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < results; ++i) {
      const Place p = place_in_c(lane, i);
      const auto& row = a[static_cast<std::size_t>(p.row)];
      const auto& column = b[static_cast<std::size_t>(p.column)];
      std::int64_t sum = static_cast<std::int32_t>(c.word(i, lane));
      for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) sum += row[k] * column[k];
      words[static_cast<std::size_t>(i)][static_cast<std::size_t>(lane)] =
          static_cast<std::uint32_t>(saturated(sum, flags.saturate != 0));
    }
  }
  write_registers(warp, list, results, words);
}

/// D = A B + C of 16 columns. Operands: D, A, B, C.
void multiply_fragments(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const bool halves_out = flags_of<ProductFlags>(op).half_result != 0;
  const bool halves_in = flags_of<ProductFlags>(op).half_addend != 0;
  const int results = halves_out ? 4 : 8;
  const Registers of_a{warp, list + results};
  const Registers of_b{warp, list + results + 8};
  const Registers c{warp, list + results + 16};
  Left<float> a;
  Right<float> b;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int pair = 0; pair < 4; ++pair) {
      for (int e = 0; e < 2; ++e) {
        Place p = pair_of(Fragment::a, lane, pair).first;
        p.column += e;
        a[static_cast<std::size_t>(p.row)][static_cast<std::size_t>(p.column)] =
            small_float(of_a.word(pair, lane), e, half_format);
        Place q = pair_of(Fragment::b, lane, pair).first;
        q.row += e;
        b[static_cast<std::size_t>(q.column)][static_cast<std::size_t>(q.row)] =
            small_float(of_b.word(pair, lane), e, half_format);
      }
    }
  }
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < 8; ++i) {
      Place p = pair_of(Fragment::float_sum, lane, i >> 1).first;
      p.column += i & 1;
      const double sum = accumulate(a[static_cast<std::size_t>(p.row)].data(),
                                    b[static_cast<std::size_t>(p.column)].data(), 16,
                                    read_sum(c, i, lane, halves_in), -14);
      write_sum(words, i, lane, sum, halves_out);
    }
  }
  write_registers(warp, list, results, words);
}

}  // namespace warpwise::emulator::tensor
