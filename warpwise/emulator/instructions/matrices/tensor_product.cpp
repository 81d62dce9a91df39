// Products of small matrices by a warp: mma and wmma.mma.

#include <algorithm>
#include <array>
#include <cstdint>

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

/// The first entries of D, A, B and C in the operation's list of registers.
struct Lists {
  const std::int32_t *d, *a, *b, *c;
};
Lists lists_of(const Warp& warp, const Operation& op, int results, int a_registers,
               int b_registers) {
  const std::int32_t* list = list_of(warp, op);
  return {list, list + results, list + results + a_registers,
          list + results + a_registers + b_registers};
}

void unpack(const Warp& warp, const Lists& lists, ProductSize size, Element of_a, Element of_b,
            int depth_of_register, Matrices& to) {
  const int along = size.depth / depth_of_register;
  unpack_registers(warp, lists.a, of_a, size.rows, size.depth, size.rows / 8 * along, true,
                   to.a.data());
  unpack_registers(warp, lists.b, of_b, size.columns, size.depth, size.columns / 8 * along, false,
                   to.b.data());
}

/// Returns the number of 8 x 8 blocks. Each has two registers of floats, or one of halves.
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
  const Element element = flags.bfloats != 0 ? Element::bf16 : Element::f16;
  unpack(warp, lists, size, element, element, 8, m);
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

/// Computes D = A B + C with 16 rows and 8 columns of halves or bfloats. Operands: D, A, B, C.
void multiply_floats(Warp& warp, const Operation& op) {
  const auto flags = flags_of<ProductFlags>(op);
  const int depth = static_cast<int>(flags.depth);
  multiply_small_floats(warp, op, {16, 8, depth},
                        lists_of(warp, op, flags.half_result != 0 ? 2 : 4, depth / 4, depth / 8));
}

/// Computes D = A B + C with 16 columns. Operands: D, A, B, C. The last four registers of A and of
/// B are unused.
void multiply_fragments(Warp& warp, const Operation& op) {
  const bool halves = flags_of<ProductFlags>(op).half_result != 0;
  multiply_small_floats(warp, op, {16, 16, 16}, lists_of(warp, op, halves ? 4 : 8, 8, 8));
}

/// Multiplies matrices of 8-bit floats as machine code of CC 9.0 does, by two products of halves:
///
/// - the first product takes depths 0, 1, 4, 5, 8, 9, …
/// - the second product adds depths 2, 3, 6, 7, 10, 11, …
/// - C is added last, with another rounding
void multiply_narrow_floats(Warp& warp, const Operation& op) {
  const auto flags = flags_of<ProductFlags>(op);
  const bool halves = flags.half_result != 0;
  const int depth = static_cast<int>(flags.depth);
  const ProductSize size{16, 8, depth / 2};
  const Lists lists = lists_of(warp, op, halves ? 2 : 4, depth / 8, depth / 16);
  Matrices m;
  unpack(warp, lists, {16, 8, depth}, flags.a_coarse != 0 ? Element::e5m2 : Element::e4m3,
         flags.b_coarse != 0 ? Element::e5m2 : Element::e4m3, 16, m);
  alignas(64) Sums sums{};
  for (const int part : {0, 1}) {
    // Copies two of every four consecutive depths: the first two for part 0, else the last two.
    Matrices some;
    const auto choose = [&](const auto& from, int lines, auto& to) {
      for (int i = 0; i < lines / 8 * size.depth; ++i)
        std::copy_n(from.data() + (i / 2 * 4 + 2 * part + i % 2) * 8, 8, to.data() + i * 8);
    };
    choose(m.a, size.rows, some.a);
    choose(m.b, size.columns, some.b);
    matrix_loops().add_floats({.size = size,
                               .a = some.a.data(),
                               .b = some.b.data(),
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
  // Rounding a sum of two halves to a float and then to a half gives the bits of one rounding.
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
  unpack(warp, lists, size, flags.a_signed != 0 ? Element::s8 : Element::u8,
         flags.b_signed != 0 ? Element::s8 : Element::u8, 16, m);
  alignas(64) std::int32_t sums[128];
  read_sums(warp, lists.c, tall, sums);
  matrix_loops().add_integers(size, m.a.data(), m.b.data(), sums, flags.saturate != 0);
  write_sums(warp, lists.d, tall, sums);
}

}  // namespace warpwise::emulator::tensor
