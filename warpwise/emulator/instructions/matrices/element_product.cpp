// mma of elements that not every generation's matrix unit has: tf32, doubles, 4-bit integers and
// bits.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"

namespace warpwise::emulator::tensor {
namespace {

constexpr std::size_t most_element_rows = 16;
constexpr std::size_t deepest = 64;  // in elements; single bits count as words of 32

template <class T>
using Rows = std::array<std::array<T, deepest>, most_element_rows>;

/// A product's shape, and the positions of its registers in its list: D, A, B, C.
struct ElementProduct {
  ElementProduct(const Warp& its_warp, const Operation& op)
      : warp(its_warp), flags(flags_of<ElementProductFlags>(op)),
        bits(bits_of(flags.a) == 1 ? 32 : bits_of(flags.a)), packed(std::max(32, bits) / bits),
        depth(static_cast<int>(flags.depth) * bits_of(flags.a) / bits),
        tall(flags.sixteen_rows != 0 ? 2 : 1), of_d(list_of(warp, op)), of_a(of_d + 2 * tall),
        of_b(of_a + tall * depth / (4 * packed)), of_c(of_b + depth / (4 * packed)) {}
  const Warp& warp;
  ElementProductFlags flags;
  int bits;    ///< bits of an element; b1 counts 32 as one element
  int packed;  ///< elements in a register
  int depth;   ///< in elements
  int tall;    ///< groups of eight rows
  const std::int32_t *of_d, *of_a, *of_b, *of_c;

  /// Unpacks A by rows and B by columns: calls take(is A, row, position in it, its bits).
  template <class Take>
  void gather(const Take& take) const {
    const auto element = [&](const std::int32_t* list, int reg, int lane, int e) {
      if (bits == 64) return source<std::uint64_t>(warp, list[reg])[lane];
      const std::uint64_t word = source<std::uint32_t>(warp, list[reg])[lane];
      return word >> (bits * e) & ((std::uint64_t{1} << bits) - 1);
    };
    const int b_registers = depth / (4 * packed);
    for (int lane = 0; lane < warp_lanes; ++lane) {
      for (int e = 0; e < packed; ++e) {
        for (int r = 0; r < tall * b_registers; ++r) {
          // With eight rows, registers extend only along the depth.
          const Place p = place_in_a(lane, tall == 2 ? r : 2 * r, e, packed);
          take(true, static_cast<std::size_t>(p.row), p.column, element(of_a, r, lane, e));
        }
        for (int r = 0; r < b_registers; ++r) {
          const Place p = place_in_b(lane, r, e, packed);
          take(false, static_cast<std::size_t>(p.column), p.row, element(of_b, r, lane, e));
        }
      }
    }
  }

  /// Computes each lane's sums by sum(row, column, its addend). The registers hold numbers of type
  /// T.
  template <class T, class Sum>
  void compute(const Sum& sum) const {
    std::array<std::array<T, warp_lanes>, 4> results;
    const int count = 2 * tall;
    for (int lane = 0; lane < warp_lanes; ++lane) {
      for (int i = 0; i < count; ++i) {
        const Place p = place_in_c(lane, i);
        results[static_cast<std::size_t>(i)][static_cast<std::size_t>(lane)] =
            sum(static_cast<std::size_t>(p.row), static_cast<std::size_t>(p.column),
                source<T>(warp, of_c[i])[lane]);
      }
    }
    for (int i = 0; i < count; ++i) {
      T* to = destination<T>(warp, of_d[i]);
      for (Mask left = warp.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        to[lane] = results[static_cast<std::size_t>(i)][lane];
      }
    }
  }
};

void multiply_singles(const ElementProduct& p) {
  std::array<SumOperand, most_element_rows> a;
  std::array<SumOperand, most_element_rows> b;
  p.gather([&](bool of_a, std::size_t row, int k, std::uint64_t bits) {
    // The unit uses 10 fraction bits of a tf32.
    const auto kept = static_cast<std::uint32_t>(bits) & 0xffffe000U;
    (of_a ? a : b)[row].set(k, std::bit_cast<float>(kept));
  });
  for (auto* rows : {&a, &b}) {
    for (SumOperand& row : *rows) row.finish(p.depth, -126);
  }
  p.compute<float>([&](std::size_t row, std::size_t column, float c) {
    return toward_zero(accumulate(a[row], b[column], p.depth, c));
  });
}

/// Adds each product to the sum with one rounding, in the order of the depth.
void multiply_doubles(const ElementProduct& p) {
  Rows<double> a;
  Rows<double> b;
  p.gather([&](bool of_a, std::size_t row, int k, std::uint64_t bits) {
    (of_a ? a : b)[row][static_cast<std::size_t>(k)] = std::bit_cast<double>(bits);
  });
  p.compute<double>([&](std::size_t row, std::size_t column, double sum) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(p.depth); ++k)
      sum = std::fma(a[row][k], b[column][k], sum);
    return sum;
  });
}

/// Computes sums of term(element of A, element of B).
template <class Term>
void multiply_integers(const ElementProduct& p, const Rows<std::uint32_t>& a,
                       const Rows<std::uint32_t>& b, const Term& term) {
  p.compute<std::int32_t>([&](std::size_t row, std::size_t column, std::int32_t c) {
    std::int64_t sum = c;
    for (std::size_t k = 0; k < static_cast<std::size_t>(p.depth); ++k)
      sum += term(a[row][k], b[column][k]);
    if (p.flags.saturate != 0) {
      sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max());
    }
    return static_cast<std::int32_t>(sum);
  });
}

void multiply_integers(const ElementProduct& p) {
  Rows<std::uint32_t> a;
  Rows<std::uint32_t> b;
  p.gather([&](bool of_a, std::size_t row, int k, std::uint64_t bits) {
    const bool is_signed = (of_a ? p.flags.a : p.flags.b) == Element::s4;
    const auto value = static_cast<std::uint32_t>(bits);
    // Extends the sign. Only b1 has 32 bits here, without a sign.
    (of_a ? a : b)[row][static_cast<std::size_t>(k)] =
        is_signed && (value & 8) != 0 ? value | 0xfffffff0U : value;
  });
  if (p.flags.a != Element::b1) {
    multiply_integers(p, a, b, [](std::uint32_t x, std::uint32_t y) {
      return static_cast<std::int32_t>(x) * static_cast<std::int32_t>(y);
    });
  } else if (p.flags.conjunction != 0) {
    multiply_integers(p, a, b,
                      [](std::uint32_t x, std::uint32_t y) { return std::popcount(x & y); });
  } else {
    multiply_integers(p, a, b,
                      [](std::uint32_t x, std::uint32_t y) { return std::popcount(x ^ y); });
  }
}

}  // namespace

void multiply_elements(Warp& warp, const Operation& op) {
  const ElementProduct product(warp, op);
  switch (product.flags.a) {
    case Element::tf32: return multiply_singles(product);
    case Element::f64: return multiply_doubles(product);
    default: return multiply_integers(product);
  }
}

}  // namespace warpwise::emulator::tensor
