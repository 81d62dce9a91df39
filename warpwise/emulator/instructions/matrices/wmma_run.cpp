// wmma.load, wmma.store and wmma.mma of any shape and elements: see wmma_form.hpp.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator::tensor {
namespace {

// Limits of a matrix. The largest matrix has 8 x 128 elements of one bit.
constexpr std::size_t most_elements = 1024;
constexpr std::size_t most_words = 256;
constexpr std::size_t most_sums = 256;

const WmmaShape& shape_of(WmmaFlags flags) { return wmma_shapes[flags.shape]; }

std::uint64_t read_register(const Warp& warp, std::int32_t slot, const WmmaMatrix& matrix,
                            int lane) {
  return matrix.register_bits() == 64 ? source<std::uint64_t>(warp, slot)[lane]
                                      : source<std::uint32_t>(warp, slot)[lane];
}

void write_register(const Warp& warp, std::int32_t slot, const WmmaMatrix& matrix, int lane,
                    std::uint64_t value) {
  if ((warp.active >> lane & 1) == 0) return;
  if (matrix.register_bits() == 64)
    destination<std::uint64_t>(warp, slot)[lane] = value;
  else
    destination<std::uint32_t>(warp, slot)[lane] = static_cast<std::uint32_t>(value);
}

/// Accesses the registers of a matrix. A register takes one access if its elements are adjacent in
/// memory, else one for each element. Calls body(register, lane, shift of the accessed bits in the
/// register, bytes, place).
template <class Observers, class Body>
void for_each_access(Warp& warp, const Operation& op, AccessKind kind, const WmmaMatrix& matrix,
                     const Body& body) {
  const auto flags = flags_of<WmmaFlags>(op);
  const std::int32_t stride = list_of(warp, op)[0];
  const bool along = (flags.role == Role::b) == (flags.by_columns != 0);
  const int bits = bits_of(matrix.element);
  const int bytes = (along ? matrix.register_bits() : bits) / 8;
  alignas(64) std::uint64_t base[warp_lanes];
  load_addresses(warp, op, base);
  for (int r = 0; r < matrix.registers(); ++r) {
    for (int e = 0; e < (along ? 1 : matrix.packed()); ++e) {
      alignas(64) std::uint64_t addresses[warp_lanes];
      for (int lane = 0; lane < warp_lanes; ++lane) {
        const int number = matrix.first(r, lane) + e;
        const auto line = static_cast<std::uint64_t>(number / matrix.length);
        const auto at = static_cast<std::uint64_t>(number % matrix.length);
        const std::uint64_t pitch =
            stride != Operation::none
                ? source<std::uint32_t>(warp, stride)[lane]
                : static_cast<std::uint64_t>(along ? matrix.length : matrix.lines);
        const std::uint64_t element = along ? line * pitch + at : at * pitch + line;
        addresses[lane] = base[lane] + element * static_cast<std::uint64_t>(bits) / 8;
      }
      for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
        const Request request{space, kind, bytes, addresses, lanes};
        serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
          for (Mask left = place.valid; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            body(r, lane, e * bits, static_cast<std::size_t>(bytes), place.base + place.at[lane]);
          }
        });
      });
    }
  }
}

template <class Observers>
void load(Warp& warp, const Operation& op) {
  const auto flags = flags_of<WmmaFlags>(op);
  const WmmaMatrix matrix(shape_of(flags), flags.role, flags.element);
  std::array<std::array<std::uint64_t, warp_lanes>, 8> words{};
  for_each_access<Observers>(
      warp, op, AccessKind::load, matrix,
      [&](int r, int lane, int shift, std::size_t bytes, const std::byte* from) {
        std::uint64_t value = 0;
        std::memcpy(&value, from, bytes);
        words[static_cast<std::size_t>(r)][static_cast<std::size_t>(lane)] |= value << shift;
      });
  const std::int32_t* registers = list_of(warp, op) + 1;
  const auto stated = static_cast<int>(stated_registers(matrix, flags.role));
  for (int r = 0; r < stated; ++r) {
    for (int lane = 0; lane < warp_lanes; ++lane) {
      write_register(
          warp, registers[r], matrix, lane,
          words[static_cast<std::size_t>(r % matrix.registers())][static_cast<std::size_t>(lane)]);
    }
  }
}

template <class Observers>
void store(Warp& warp, const Operation& op) {
  const auto flags = flags_of<WmmaFlags>(op);
  const WmmaMatrix matrix(shape_of(flags), flags.role, flags.element);
  const std::int32_t* registers = list_of(warp, op) + 1;
  for_each_access<Observers>(warp, op, AccessKind::store, matrix,
                             [&](int r, int lane, int shift, std::size_t bytes, std::byte* to) {
                               const std::uint64_t value =
                                   read_register(warp, registers[r], matrix, lane) >> shift;
                               std::memcpy(to, &value, bytes);
                             });
}

/// The matrices of a product, and the first entries of D, A, B and C in Operation::list.
struct WmmaProduct {
  WmmaProduct(const Warp& warp, const Operation& op)
      : flags(flags_of<WmmaFlags>(op)), shape(shape_of(flags)), d(shape, Role::sum, flags.result),
        a(shape, Role::a, flags.element), b(shape, Role::b, flags.element),
        c(shape, Role::sum, flags.addend), of_d(list_of(warp, op)), of_a(of_d + d.registers()),
        of_b(of_a + stated_registers(a, Role::a)), of_c(of_b + stated_registers(b, Role::b)) {}
  WmmaFlags flags;
  const WmmaShape& shape;
  WmmaMatrix d, a, b, c;
  const std::int32_t *of_d, *of_a, *of_b, *of_c;

  ProductSize size() const { return {shape.rows, shape.columns, shape.depth}; }
  /// Returns true if sums lie in registers as in fragments.hpp; otherwise they lie row by row.
  bool has_blocks() const { return shape.rows == 16 && shape.columns == 16; }

  /// Unpacks A and B. Their registers hold the rows of A (or the columns of B) one after the other.
  void unpack(const Warp& warp, float* to_a, float* to_b) const {
    const auto unpack = [&](const WmmaMatrix& from, const std::int32_t* list, bool is_signed,
                            float* to) {
      std::array<std::uint32_t, most_words> words;
      for (int r = 0; r < from.registers(); ++r)
        std::copy_n(source<std::uint32_t>(warp, list[r]), warp_lanes,
                    words.data() + r * warp_lanes);
      Element element = from.element;
      if (element == Element::s8 || element == Element::u8)
        element = is_signed ? Element::s8 : Element::u8;
      if (element == Element::s4 || element == Element::u4)
        element = is_signed ? Element::s4 : Element::u4;
      const int pitch = from.length / from.packed();
      for (int line = 0; line < from.lines; line += group_lines) {
        for (int word = 0; word < pitch; word += unpacked_words)
          matrix_loops().unpack(element, words.data() + line * pitch + word, pitch,
                                to + place_in_groups(line, word * from.packed(), from.length));
      }
    };
    unpack(a, of_a, flags.a_signed != 0, to_a);
    unpack(b, of_b, flags.b_signed != 0, to_b);
  }

  template <class T>
  void exchange(const T* from, T* to, bool to_rows) const {
    for (int row = 0; row < shape.rows; ++row) {
      for (int column = 0; column < shape.columns; ++column) {
        const auto by_rows = static_cast<std::size_t>(row * shape.columns + column);
        const std::size_t in_groups = place_in_groups(column, row, shape.rows);
        to[to_rows ? by_rows : in_groups] = from[to_rows ? in_groups : by_rows];
      }
    }
  }

  /// Reads C into `sums`, calls add(sums), and writes the sums to D.
  template <class T, class Add>
  void compute(const Warp& warp, const Add& add) const {
    alignas(64) T sums[most_sums];
    alignas(64) T rows[most_sums];
    T* const in_registers = has_blocks() ? sums : rows;
    if (flags.addend == Element::f16) {
      if constexpr (std::is_same_v<T, float>) read_halves(warp, of_c, c.registers(), in_registers);
    } else if (has_blocks()) {
      read_sums(warp, of_c, c.registers() / 2, sums);
    } else {
      for (int r = 0; r < c.registers(); ++r)
        std::copy_n(source<T>(warp, of_c[r]), warp_lanes, rows + r * warp_lanes);
    }
    if (!has_blocks()) exchange(rows, sums, false);
    add(sums);
    if (!has_blocks()) exchange(sums, rows, true);
    if (flags.result == Element::f16) {
      if constexpr (std::is_same_v<T, float>) write_halves(warp, of_d, d.registers(), in_registers);
    } else if (has_blocks()) {
      write_sums(warp, of_d, d.registers() / 2, sums);
    } else {
      for (int r = 0; r < d.registers(); ++r) write_lanes(warp, of_d[r], rows + r * warp_lanes);
    }
  }
};

void multiply_floats(const Warp& warp, const WmmaProduct& p) {
  alignas(64) float a[most_elements];
  alignas(64) float b[most_elements];
  p.unpack(warp, a, b);
  const int smallest = p.flags.element == Element::f16 ? -14 : -126;
  p.compute<float>(warp, [&](float* sums) {
    matrix_loops().add_floats(
        {.size = p.size(),
         .a = a,
         .b = b,
         .sums = sums,
         .smallest_of_a = smallest,
         .smallest_of_b = smallest,
         .finish = p.flags.result == Element::f16 ? Finish::to_odd : Finish::truncate});
  });
}

/// Adds each product to the sum with one rounding, in the order of the depth.
void multiply_doubles(const Warp& warp, const WmmaProduct& p) {
  alignas(64) double a[8 * 4];
  alignas(64) double b[8 * 4];
  for (int i = 0; i < warp_lanes; ++i) {
    const std::size_t at = place_in_groups(i / 4, i % 4, 4);
    a[at] = source<double>(warp, p.of_a[0])[i];
    b[at] = source<double>(warp, p.of_b[0])[i];
  }
  p.compute<double>(warp, [&](double* sums) { matrix_loops().add_doubles(p.size(), a, b, sums); });
}

/// Multiplies integers of 4 or 8 bits.
void multiply_integers(const Warp& warp, const WmmaProduct& p) {
  alignas(64) float a[most_elements];
  alignas(64) float b[most_elements];
  p.unpack(warp, a, b);
  p.compute<std::int32_t>(warp, [&](std::int32_t* sums) {
    matrix_loops().add_integers(p.size(), a, b, sums, p.flags.saturate != 0);
  });
}

/// Counts the bits that are set in both operands, or that differ, and adds the count to each sum.
void multiply_bits(const Warp& warp, const WmmaProduct& p) {
  const auto* a = source<std::uint32_t>(warp, p.of_a[0]);
  const auto* b = source<std::uint32_t>(warp, p.of_b[0]);
  p.compute<std::uint32_t>(warp, [&](std::uint32_t* sums) {
    for (int i = 0; i < p.shape.rows * p.shape.columns; ++i) {
      for (int k = 0; k < 4; ++k) {
        const std::uint32_t x = a[i / 8 * 4 + k];
        const std::uint32_t y = b[i % 8 * 4 + k];
        sums[i] +=
            static_cast<std::uint32_t>(std::popcount(p.flags.conjunction != 0 ? x & y : x ^ y));
      }
    }
  });
}

}  // namespace

void multiply_wmma(Warp& warp, const Operation& op) {
  const WmmaProduct product(warp, op);
  switch (product.flags.element) {
    case Element::f64: return multiply_doubles(warp, product);
    case Element::f16:
    case Element::bf16:
    case Element::tf32: return multiply_floats(warp, product);
    case Element::b1: return multiply_bits(warp, product);
    default: return multiply_integers(warp, product);
  }
}

Handler load_wmma(ObserverSet observers) {
  return with_observers(observers,
                        [](auto set) -> Handler { return load<typename decltype(set)::type>; });
}

Handler store_wmma(ObserverSet observers) {
  return with_observers(observers,
                        [](auto set) -> Handler { return store<typename decltype(set)::type>; });
}

}  // namespace warpwise::emulator::tensor
