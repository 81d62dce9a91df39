// Products of small matrices by a warp: mma and wmma.mma.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "warpwise/emulator/instructions/lanes/narrow_floats.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"

namespace warpwise::emulator::tensor {
namespace {

constexpr std::size_t most_product_rows = 16;

/// Rows of A, or columns of B.
using IntegerRows = std::array<std::array<int, most_depth>, most_product_rows>;
using FloatRows = std::array<SumOperand, most_product_rows>;

void finish(FloatRows& rows, int depth, int smallest) {
  for (SumOperand& row : rows) row.finish(depth, smallest);
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

/// Unpacks A and B, from a_registers and b_registers of `packed` elements each: calls take(is A,
/// row of A or column of B, position in it, register's word, element of it).
template <class Take>
void gather(const Registers& from, int a_registers, int b_registers, int packed, const Take& take) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int e = 0; e < packed; ++e) {
      for (int r = 0; r < a_registers; ++r) {
        const Place p = place_in_a(lane, r, e, packed);
        take(true, static_cast<std::size_t>(p.row), p.column, from.word(r, lane), e);
      }
      for (int r = 0; r < b_registers; ++r) {
        const Place p = place_in_b(lane, r, e, packed);
        take(false, static_cast<std::size_t>(p.column), p.row, from.word(a_registers + r, lane), e);
      }
    }
  }
}

/// Returns element i of a lane's part of a sum that begins at `list`: floats, or halves two in a
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

/// D = A B + C with 16 rows and 8 columns, of halves or bfloats. Operands: D, A, B, C.
void multiply_floats(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const auto flags = flags_of<ProductFlags>(op);
  const int depth = static_cast<int>(flags.depth);
  const int results = flags.half_result != 0 ? 2 : 4;
  const int a_registers = depth / 4;
  const int b_registers = depth / 8;
  const SmallFormat format = flags.bfloats != 0 ? bfloat_format : half_format;
  FloatRows a;
  FloatRows b;
  gather(Registers{warp, list + results}, a_registers, b_registers, 2,
         [&](bool of_a, std::size_t row, int k, std::uint32_t word, int e) {
           (of_a ? a : b)[row].set(k, small_float(word, e, format));
         });
  const Registers c{warp, list + results + a_registers + b_registers};
  const int smallest = flags.bfloats != 0 ? -126 : -14;
  finish(a, depth, smallest);
  finish(b, depth, smallest);
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const Place p = place_in_c(lane, i);
      const double sum =
          accumulate(a[static_cast<std::size_t>(p.row)], b[static_cast<std::size_t>(p.column)],
                     depth, read_sum(c, i, lane, flags.half_addend != 0));
      write_sum(words, i, lane, sum, flags.half_result != 0);
    }
  }
  write_registers(warp, list, results, words);
}

/// Multiplies matrices of floats of 8 bits, as machine code of CC 9.0 does it: a product of the
/// first two of each four neighbours along the depth, one of the last two added to it, both as
/// halves, and the addend added with another rounding.
void multiply_narrow_floats(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const auto flags = flags_of<ProductFlags>(op);
  const int depth = static_cast<int>(flags.depth) / 2;
  const bool halves = flags.half_result != 0;
  const int results = halves ? 2 : 4;
  const int b_registers = depth / 8;
  const int a_registers = 2 * b_registers;
  std::array<FloatRows, 2> a;
  std::array<FloatRows, 2> b;
  gather(Registers{warp, list + results}, a_registers, b_registers, 4,
         [&](bool of_a, std::size_t row, int k, std::uint32_t word, int e) {
           const bool coarse = (of_a ? flags.a_coarse : flags.b_coarse) != 0;
           const double value = narrow_value(word >> (8 * e), coarse ? e5m2_format : e4m3_format);
           (of_a ? a : b)[static_cast<std::size_t>(k % 4 / 2)][row].set(k / 4 * 2 + k % 2,
                                                                        static_cast<float>(value));
         });
  const Registers c{warp, list + results + a_registers + b_registers};
  for (auto* rows : {&a[0], &a[1], &b[0], &b[1]}) finish(*rows, depth, -14);
  const auto rounded = [&](double sum) {
    return halves ? decode(half_bits(sum), half_format) : double{toward_zero(sum)};
  };
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const Place p = place_in_c(lane, i);
      const auto row = static_cast<std::size_t>(p.row);
      const auto column = static_cast<std::size_t>(p.column);
      double sum = 0;
      for (const std::size_t part : {0U, 1U})
        sum = rounded(accumulate(a[part][row], b[part][column], depth, sum));
      const double addend = read_sum(c, i, lane, halves);
      sum = halves ? sum + addend : double{static_cast<float>(sum) + static_cast<float>(addend)};
      write_sum(words, i, lane, sum, halves);
    }
  }
  write_registers(warp, list, results, words);
}

/// Multiplies matrices of bytes, with 8 or 16 rows.
void multiply_integers(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const auto flags = flags_of<ProductFlags>(op);
  const int depth = static_cast<int>(flags.depth);
  const int tall = flags.sixteen_rows != 0 ? 2 : 1;
  const int results = 2 * tall;
  const int b_registers = depth / 16;
  const int a_registers = b_registers * tall;
  IntegerRows a;
  IntegerRows b;
  gather(Registers{warp, list + results}, a_registers, b_registers, 4,
         [&](bool of_a, std::size_t row, int k, std::uint32_t word, int e) {
           (of_a ? a : b)[row][static_cast<std::size_t>(k)] =
               small_integer(word, e, (of_a ? flags.a_signed : flags.b_signed) != 0);
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

/// D = A B + C with 16 columns. Operands: D, A, B, C.
void multiply_fragments(Warp& warp, const Operation& op) {
  const std::int32_t* list = list_of(warp, op);
  const bool halves_out = flags_of<ProductFlags>(op).half_result != 0;
  const bool halves_in = flags_of<ProductFlags>(op).half_addend != 0;
  const int results = halves_out ? 4 : 8;
  const Registers of_a{warp, list + results};
  const Registers of_b{warp, list + results + 8};
  const Registers c{warp, list + results + 16};
  FloatRows a;
  FloatRows b;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int pair = 0; pair < 4; ++pair) {
      for (int e = 0; e < 2; ++e) {
        Place p = pair_of(Fragment::a, lane, pair).first;
        p.column += e;
        a[static_cast<std::size_t>(p.row)].set(p.column,
                                               small_float(of_a.word(pair, lane), e, half_format));
        Place q = pair_of(Fragment::b, lane, pair).first;
        q.row += e;
        b[static_cast<std::size_t>(q.column)].set(
            q.row, small_float(of_b.word(pair, lane), e, half_format));
      }
    }
  }
  finish(a, 16, -14);
  finish(b, 16, -14);
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < 8; ++i) {
      Place p = pair_of(Fragment::float_sum, lane, i >> 1).first;
      p.column += i & 1;
      const double sum =
          accumulate(a[static_cast<std::size_t>(p.row)], b[static_cast<std::size_t>(p.column)], 16,
                     read_sum(c, i, lane, halves_in));
      write_sum(words, i, lane, sum, halves_out);
    }
  }
  write_registers(warp, list, results, words);
}

}  // namespace warpwise::emulator::tensor
