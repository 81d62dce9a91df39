// Products of small matrices by a warp: mma and wmma.mma.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "warpwise/emulator/instructions/lanes/narrow_floats.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"

namespace warpwise::emulator::tensor {
namespace {

constexpr std::size_t most_rows = 16;
constexpr std::size_t most_columns = 16;

/// The matrices of a product.
struct Matrices {
  alignas(64) std::array<float, most_rows * most_depth> a;
  alignas(64) std::array<float, most_columns * most_depth> b;
};
using Sums = std::array<float, most_rows * most_columns>;

/// Positions of a product's registers in its list: D, A, B, C.
struct Lists {
  const std::int32_t *d, *a, *b, *c;
};
Lists lists_of(const Warp& warp, const Operation& op, int results, int a_registers,
               int b_registers) {
  const std::int32_t* list = list_of(warp, op);
  return {list, list + results, list + results + a_registers,
          list + results + a_registers + b_registers};
}

/// Unpacks A and B, whose registers have `width` elements of a row or column: unpack(is A,
/// register, to) converts all of its 8 x width elements.
template <class Unpack>
void gather(const Warp& warp, const Lists& lists, ProductSize size, int width, Matrices& to,
            const Unpack& unpack) {
  alignas(64) float block[8 * most_depth];
  const int along = size.depth / width;
  for (int r = 0; r < size.rows / 8 * along; ++r) {
    unpack(true, source<std::byte>(warp, lists.a[r]), block);
    const int tall = size.rows / 8;
    put_in_a(block, width, 8 * (r % tall), width * (r / tall), size, to.a.data());
  }
  for (int r = 0; r < size.columns / 8 * along; ++r) {
    unpack(false, source<std::byte>(warp, lists.b[r]), block);
    put_in_b(block, width, 8 * (r / along), width * (r % along), size, to.b.data());
  }
}

/// Returns the number of 8 x 8 sums, which are two registers of floats, or one of halves.
int blocks_of(ProductSize size) { return size.rows / 8 * size.columns / 8; }

void read_floats(const Warp& warp, const std::int32_t* list, int blocks, bool halves, Sums& sums) {
  halves ? read_halves(warp, list, blocks, sums.data())
         : read_sums(warp, list, blocks, sums.data());
}
void write_floats(const Warp& warp, const std::int32_t* list, int blocks, bool halves,
                  const Sums& sums) {
  halves ? write_halves(warp, list, blocks, sums.data())
         : write_sums(warp, list, blocks, sums.data());
}

void multiply_small_floats(Warp& warp, const Operation& op, ProductSize size, const Lists& lists) {
  const auto flags = flags_of<ProductFlags>(op);
  Matrices m;
  alignas(64) Sums sums;
  const int smallest = flags.bfloats != 0 ? -126 : -14;
  gather(warp, lists, size, 8, m, [&](bool, const std::byte* from, float* to) {
    const auto* small = reinterpret_cast<const std::uint16_t*>(from);
    if (flags.bfloats == 0) return matrix_loops().from_halves(small, 64, to);
    for (int i = 0; i < 64; ++i) to[i] = std::bit_cast<float>(std::uint32_t{small[i]} << 16);
  });
  read_floats(warp, lists.c, blocks_of(size), flags.half_addend != 0, sums);
  matrix_loops().add_floats({.size = size,
                             .a = m.a.data(),
                             .b = m.b.data(),
                             .sums = sums.data(),
                             .smallest_of_a = smallest,
                             .smallest_of_b = smallest,
                             .finish = flags.half_result != 0 ? Finish::to_odd : Finish::truncate});
  write_floats(warp, lists.d, blocks_of(size), flags.half_result != 0, sums);
}

}  // namespace

/// D = A B + C with 16 rows and 8 columns, of halves or bfloats. Operands: D, A, B, C.
void multiply_floats(Warp& warp, const Operation& op) {
  const auto flags = flags_of<ProductFlags>(op);
  const int depth = static_cast<int>(flags.depth);
  multiply_small_floats(warp, op, {16, 8, depth},
                        lists_of(warp, op, flags.half_result != 0 ? 2 : 4, depth / 4, depth / 8));
}

/// D = A B + C with 16 columns. Operands: D, A, B, C. The second halves of A and B are unused.
void multiply_fragments(Warp& warp, const Operation& op) {
  const bool halves = flags_of<ProductFlags>(op).half_result != 0;
  multiply_small_floats(warp, op, {16, 16, 16}, lists_of(warp, op, halves ? 4 : 8, 8, 8));
}

/// Multiplies matrices of floats of 8 bits, as machine code of CC 9.0 does it: a product of the
/// first two of each four neighbours along the depth, one of the last two added to it, both as
/// halves, and the addend added with another rounding.
void multiply_narrow_floats(Warp& warp, const Operation& op) {
  static const std::array<std::array<float, 256>, 2> numbers = {
      narrow_numbers(e4m3_format), narrow_numbers(e5m2_format)};
  const auto flags = flags_of<ProductFlags>(op);
  const bool halves = flags.half_result != 0;
  const ProductSize size{16, 8, static_cast<int>(flags.depth) / 2};
  const int b_registers = size.depth / 8;
  const Lists lists = lists_of(warp, op, halves ? 2 : 4, 2 * b_registers, b_registers);
  alignas(64) Sums sums{};
  for (const int part : {0, 1}) {
    Matrices m;
    gather(warp, lists, size, 8, m, [&](bool is_a, const std::byte* from, float* to) {
      const auto& values = numbers[is_a ? flags.a_coarse : flags.b_coarse];
      for (int i = 0; i < 64; ++i)
        to[i] = values[std::to_integer<std::size_t>(from[i / 2 * 4 + 2 * part + i % 2])];
    });
    matrix_loops().add_floats({.size = size,
                               .a = m.a.data(),
                               .b = m.b.data(),
                               .sums = sums.data(),
                               .smallest_of_a = -14,
                               .smallest_of_b = -14,
                               .finish = halves ? Finish::to_odd : Finish::truncate});
    if (halves) {
      alignas(64) std::uint16_t rounded[std::tuple_size_v<Sums>];
      matrix_loops().to_halves(sums.data(), sums.size(), rounded);
      matrix_loops().from_halves(rounded, sums.size(), sums.data());
    }
  }
  alignas(64) Sums addends;
  read_floats(warp, lists.c, 2, halves, addends);
  // A sum of two halves, rounded to a float and then to a half, has the bits of one rounding.
  for (std::size_t i = 0; i < 128; ++i) sums[i] = canonical_nan(sums[i] + addends[i]);
  write_floats(warp, lists.d, 2, halves, sums);
}

/// Multiplies matrices of bytes, with 8 or 16 rows.
void multiply_integers(Warp& warp, const Operation& op) {
  const auto flags = flags_of<ProductFlags>(op);
  const ProductSize size{flags.sixteen_rows != 0 ? 16 : 8, 8, static_cast<int>(flags.depth)};
  const int tall = size.rows / 8;
  const Lists lists = lists_of(warp, op, 2 * tall, tall * size.depth / 16, size.depth / 16);
  Matrices m;
  gather(warp, lists, size, 16, m, [&](bool is_a, const std::byte* from, float* to) {
    const bool is_signed = (is_a ? flags.a_signed : flags.b_signed) != 0;
    for (int i = 0; i < 128; ++i) {
      const auto bits = std::to_integer<std::uint8_t>(from[i]);
      to[i] = static_cast<float>(is_signed ? static_cast<std::int8_t>(bits) : int{bits});
    }
  });
  alignas(64) std::int32_t sums[128];
  read_sums(warp, lists.c, tall, sums);
  matrix_loops().add_integers(size, m.a.data(), m.b.data(), sums, flags.saturate != 0);
  write_sums(warp, lists.d, tall, sums);
}

}  // namespace warpwise::emulator::tensor
