// mma of elements that not every generation's matrix unit has: tf32, doubles, 4-bit integers and
// bits.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"

namespace warpwise::emulator::tensor {
namespace {

/// A product's shape, and the positions of its registers in its list: D, A, B, C.
struct ElementProduct {
  ElementProduct(const Warp& its_warp, const Operation& op)
      : warp(its_warp), flags(flags_of<ElementProductFlags>(op)),
        bits(bits_of(flags.a) == 1 ? 32 : bits_of(flags.a)), width(4 * std::max(32, bits) / bits),
        depth(static_cast<int>(flags.depth) * bits_of(flags.a) / bits),
        tall(flags.sixteen_rows != 0 ? 2 : 1), of_d(list_of(warp, op)), of_a(of_d + 2 * tall),
        of_b(of_a + tall * depth / width), of_c(of_b + depth / width) {}
  const Warp& warp;
  ElementProductFlags flags;
  int bits;   ///< bits of an element; b1 counts 32 as one element
  int width;  ///< elements of a row or column in a register
  int depth;  ///< in elements
  int tall;   ///< groups of eight rows
  const std::int32_t *of_d, *of_a, *of_b, *of_c;

  /// Unpacks A and B, of at least eight elements of depth; missing ones stay. unpack(is A, register,
  /// to) converts a register's elements.
  template <class T, class Unpack>
  ProductSize gather(T* a, T* b, const Unpack& unpack) const {
    const ProductSize size{8 * tall, 8, std::max(depth, 8)};
    alignas(64) T block[8 * 32];
    for (int r = 0; r < tall * depth / width; ++r) {
      unpack(true, source<T>(warp, of_a[r]), block);
      put_in_a(block, width, 8 * (r % tall), width * (r / tall), size, a);
    }
    for (int r = 0; r < depth / width; ++r) {
      unpack(false, source<T>(warp, of_b[r]), block);
      put_in_b(block, width, 0, width * r, size, b);
    }
    return size;
  }

  /// Replaces C by D: add(sums).
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
  const ProductSize size = p.gather(a, b, [](bool, const float* from, float* to) {
    // The unit uses 10 fraction bits of a tf32.
    for (int i = 0; i < warp_lanes; ++i)
      to[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(from[i]) & 0xffffe000U);
  });
  p.compute<float>([&](float* sums) {
    matrix_loops().add_floats({.size = size, .a = a, .b = b, .sums = sums});
  });
}

template <class T>
void copy_register(bool, const T* from, T* to) {
  std::copy_n(from, warp_lanes, to);
}

/// Adds each product to the sum with one rounding, in the order of the depth.
void multiply_doubles(const ElementProduct& p) {
  alignas(64) double a[16 * 16];
  alignas(64) double b[8 * 16];
  ProductSize size = p.gather(a, b, copy_register<double>);
  size.depth = p.depth;
  p.compute<double>([&](double* sums) { matrix_loops().add_doubles(size, a, b, sums); });
}

void multiply_half_bytes(const ElementProduct& p) {
  alignas(64) float a[16 * 64];
  alignas(64) float b[8 * 64];
  const ProductSize size = p.gather(a, b, [&](bool is_a, const float* from, float* to) {
    const bool is_signed = (is_a ? p.flags.a : p.flags.b) == Element::s4;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
    for (int i = 0; i < 256; ++i) {
      const int value = bytes[i / 2] >> (4 * (i % 2)) & 15;
      to[i] = static_cast<float>(is_signed ? (value ^ 8) - 8 : value);
    }
  });
  p.compute<std::int32_t>([&](std::int32_t* sums) {
    matrix_loops().add_integers(size, a, b, sums, p.flags.saturate != 0);
  });
}

void multiply_bits(const ElementProduct& p) {
  std::uint32_t a[16 * 8] = {};
  std::uint32_t b[8 * 8] = {};
  const ProductSize size = p.gather(a, b, copy_register<std::uint32_t>);
  p.compute<std::uint32_t>([&](std::uint32_t* sums) {
    for (int i = 0; i < size.rows * size.columns; ++i) {
      for (int k = 0; k < size.depth; ++k) {
        const std::uint32_t x = a[i / group_columns * size.depth + k];
        const std::uint32_t y = b[k * group_columns + i % group_columns];
        sums[i] += static_cast<std::uint32_t>(
            std::popcount(p.flags.conjunction != 0 ? x & y : x ^ y));
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
