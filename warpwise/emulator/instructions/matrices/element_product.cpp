// mma of elements that not every generation's matrix unit has: tf32, doubles, 4-bit integers and
// bits.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"

namespace warpwise::emulator::tensor {
namespace {

/// A product's shape, and the first entries of D, A, B and C in Operation::list.
struct ElementProduct {
  ElementProduct(const Warp& its_warp, const Operation& op)
      : warp(its_warp), flags(flags_of<ElementProductFlags>(op)),
        bits(bits_of(flags.a) == 1 ? 32 : bits_of(flags.a)), width(4 * std::max(32, bits) / bits),
        depth(static_cast<int>(flags.depth) * bits_of(flags.a) / bits),
        tall(flags.sixteen_rows != 0 ? 2 : 1), of_d(list_of(warp, op)), of_a(of_d + 2 * tall),
        of_b(of_a + tall * depth / width), of_c(of_b + depth / width) {}
  const Warp& warp;
  ElementProductFlags flags;
  int bits;   ///< bits of an element; 32 elements of b1 count as one
  int width;  ///< number of a row's (or column's) elements that one register of the warp holds
  int depth;  ///< PTX's k, in elements
  int tall;   ///< number of groups of eight rows
  const std::int32_t *of_d, *of_a, *of_b, *of_c;

  /// Converts A and B to floats. The arrays have a depth of at least eight. If the product has a
  /// depth of four, the rest is not written. The caller sets it to zero before.
  ProductSize unpack(float* a, float* b) const {
    const ProductSize size{8 * tall, 8, std::max(depth, 8)};
    for (int r = 0; r < tall * depth / width; ++r)
      matrix_loops().unpack(flags.a, source<std::uint32_t>(warp, of_a[r]), unpacked_words,
                            a + place_in_groups(8 * (r % tall), width * (r / tall), size.depth));
    for (int r = 0; r < depth / width; ++r)
      matrix_loops().unpack(flags.b, source<std::uint32_t>(warp, of_b[r]), unpacked_words,
                            b + place_in_groups(0, width * r, size.depth));
    return size;
  }

  /// Copies A and B without conversion. A warp's register holds four elements of each of eight rows
  /// of A, or of eight columns of B.
  template <class T>
  void copy(T* a, T* b) const {
    const auto copy = [&](const std::int32_t* list, int groups, T* to) {
      for (int r = 0; r < groups * depth / 4; ++r) {
        const T* from = source<T>(warp, list[r]);
        for (int i = 0; i < warp_lanes; ++i)
          to[place_in_groups(8 * (r % groups) + i / 4, r / groups * 4 + i % 4, depth)] = from[i];
      }
    };
    copy(of_a, tall, a);
    copy(of_b, 1, b);
  }

  /// Reads C into `sums`, calls add(sums), and writes the sums to D.
  template <class T, class Add>
  void compute(const Add& add) const {
    alignas(64) T sums[128];
    read_sums(warp, of_c, tall, sums);
    add(sums);
    write_sums(warp, of_d, tall, sums);
  }
};

void multiply_singles(const ElementProduct& p) {
  alignas(64) float a[16 * 8] = {};
  alignas(64) float b[8 * 8] = {};
  const ProductSize size = p.unpack(a, b);
  p.compute<float>([&](float* sums) {
    matrix_loops().add_floats({.size = size, .a = a, .b = b, .sums = sums});
  });
}

/// Adds the products to each sum by fma, with one rounding each, in the order of k.
void multiply_doubles(const ElementProduct& p) {
  alignas(64) double a[16 * 16];
  alignas(64) double b[8 * 16];
  p.copy(a, b);
  p.compute<double>(
      [&](double* sums) { matrix_loops().add_doubles({8 * p.tall, 8, p.depth}, a, b, sums); });
}

void multiply_half_bytes(const ElementProduct& p) {
  alignas(64) float a[16 * 64];
  alignas(64) float b[8 * 64];
  const ProductSize size = p.unpack(a, b);
  p.compute<std::int32_t>([&](std::int32_t* sums) {
    matrix_loops().add_integers(size, a, b, sums, p.flags.saturate != 0);
  });
}

void multiply_bits(const ElementProduct& p) {
  std::uint32_t a[16 * 8];
  std::uint32_t b[8 * 8];
  p.copy(a, b);
  p.compute<std::uint32_t>([&](std::uint32_t* sums) {
    for (int i = 0; i < 8 * p.tall * 8; ++i) {
      for (int k = 0; k < p.depth; ++k) {
        const std::uint32_t x = a[place_in_groups(i / 8, k, p.depth)];
        const std::uint32_t y = b[place_in_groups(i % 8, k, p.depth)];
        sums[i] +=
            static_cast<std::uint32_t>(std::popcount(p.flags.conjunction != 0 ? x & y : x ^ y));
      }
    }
  });
}

}  // namespace

void multiply_elements(Warp& warp, const Operation& op) {
  const ElementProduct product(warp, op);
  switch (product.flags.a) {
    case Element::tf32: return multiply_singles(product);
    case Element::f64: return multiply_doubles(product);
    case Element::b1: return multiply_bits(product);
    default: return multiply_half_bytes(product);
  }
}

}  // namespace warpwise::emulator::tensor
