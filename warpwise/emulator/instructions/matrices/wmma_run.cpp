// wmma.load, wmma.store and wmma.mma of any shape and elements: see wmma_form.hpp.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator::tensor {
namespace {

// Limit of a matrix: 8 x 128 bits.
constexpr std::size_t most_elements = 1024;
constexpr std::size_t most_lines = 32;

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

/// Accesses a matrix's registers: once if a register's elements are adjacent in memory, else once
/// for each element. Calls body(register, lane, shift of the access' bits, bytes, place).
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

/// Calls body(element's number, its bits) for each element of a matrix in registers.
template <class Body>
void for_each_element(const Warp& warp, const std::int32_t* registers, const WmmaMatrix& matrix,
                      const Body& body) {
  const int bits = bits_of(matrix.element);
  const std::uint64_t kept = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  for (int r = 0; r < matrix.registers(); ++r) {
    for (int lane = 0; lane < warp_lanes; ++lane) {
      const std::uint64_t word = read_register(warp, registers[r], matrix, lane);
      for (int e = 0; e < matrix.packed(); ++e)
        body(matrix.first(r, lane) + e, word >> (e * bits) & kept);
    }
  }
}

/// The matrices of a product, and the positions of their registers in its list: D, A, B, C.
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

  /// Computes the bits of each result element by sum(row, column, the bits of C).
  template <class Sum>
  void compute(Warp& warp, const Sum& sum) const {
    std::array<std::uint64_t, most_elements> results;
    for_each_element(warp, of_c, c, [&](int number, std::uint64_t bits) {
      results[static_cast<std::size_t>(number)] =
          sum(static_cast<std::size_t>(number / c.length),
              static_cast<std::size_t>(number % c.length), bits);
    });
    for (int r = 0; r < d.registers(); ++r) {
      for (int lane = 0; lane < warp_lanes; ++lane) {
        std::uint64_t word = 0;
        for (int e = 0; e < d.packed(); ++e) {
          const auto number = static_cast<std::size_t>(d.first(r, lane) + e);
          word |= results[number] << (e * bits_of(d.element));
        }
        write_register(warp, of_d[r], d, lane, word);
      }
    }
  }
};

float as_float(std::uint64_t bits, Element element) {
  switch (element) {
    case Element::f16:
      return static_cast<float>(decode(static_cast<std::uint16_t>(bits), half_format));
    case Element::bf16:
      return static_cast<float>(decode(static_cast<std::uint16_t>(bits), bfloat_format));
    default:
      // The unit uses 10 fraction bits of a tf32.
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffffe000U);
  }
}

void multiply_floats(Warp& warp, const WmmaProduct& p) {
  std::array<SumOperand, most_lines> a;
  std::array<SumOperand, most_lines> b;
  const auto gather = [&](auto& lines, const std::int32_t* registers, const WmmaMatrix& matrix) {
    for_each_element(warp, registers, matrix, [&](int number, std::uint64_t bits) {
      lines[static_cast<std::size_t>(number / matrix.length)].set(number % matrix.length,
                                                                  as_float(bits, matrix.element));
    });
    const int smallest = matrix.element == Element::f16 ? -14 : -126;
    for (SumOperand& line : lines) line.finish(matrix.length, smallest);
  };
  gather(a, p.of_a, p.a);
  gather(b, p.of_b, p.b);
  p.compute(warp, [&](std::size_t row, std::size_t column, std::uint64_t c) -> std::uint64_t {
    const double addend = p.flags.addend == Element::f16
                              ? decode(static_cast<std::uint16_t>(c), half_format)
                              : std::bit_cast<float>(static_cast<std::uint32_t>(c));
    const double sum = accumulate(a[row], b[column], p.shape.depth, addend);
    return p.flags.result == Element::f16 ? encode(sum, half_format)
                                          : std::bit_cast<std::uint32_t>(toward_zero(sum));
  });
}

/// Adds each product to the sum with one rounding, in the order of the depth.
void multiply_doubles(Warp& warp, const WmmaProduct& p) {
  std::array<double, most_elements> a;
  std::array<double, most_elements> b;
  const auto gather = [&](auto& to, const std::int32_t* registers, const WmmaMatrix& matrix) {
    for_each_element(warp, registers, matrix, [&](int number, std::uint64_t bits) {
      to[static_cast<std::size_t>(number)] = std::bit_cast<double>(bits);
    });
  };
  gather(a, p.of_a, p.a);
  gather(b, p.of_b, p.b);
  const auto depth = static_cast<std::size_t>(p.shape.depth);
  p.compute(warp, [&](std::size_t row, std::size_t column, std::uint64_t c) {
    double sum = std::bit_cast<double>(c);
    for (std::size_t k = 0; k < depth; ++k)
      sum = std::fma(a[row * depth + k], b[column * depth + k], sum);
    return std::bit_cast<std::uint64_t>(sum);
  });
}

int as_integer(std::uint64_t bits, int width, bool is_signed) {
  const auto value = static_cast<int>(bits);
  return is_signed && (value >> (width - 1) & 1) != 0 ? value - (1 << width) : value;
}

void multiply_integers(Warp& warp, const WmmaProduct& p) {
  std::array<int, most_elements> a;
  std::array<int, most_elements> b;
  const auto gather = [&](auto& to, const std::int32_t* registers, const WmmaMatrix& matrix,
                          bool is_signed) {
    for_each_element(warp, registers, matrix, [&](int number, std::uint64_t bits) {
      to[static_cast<std::size_t>(number)] = as_integer(bits, bits_of(matrix.element), is_signed);
    });
  };
  gather(a, p.of_a, p.a, p.flags.a_signed != 0);
  gather(b, p.of_b, p.b, p.flags.b_signed != 0);
  const auto depth = static_cast<std::size_t>(p.shape.depth);
  const bool compares = p.flags.element == Element::b1 && p.flags.conjunction == 0;
  p.compute(warp, [&](std::size_t row, std::size_t column, std::uint64_t c) {
    std::int64_t sum = static_cast<std::int32_t>(c);
    const int* x = a.data() + row * depth;
    const int* y = b.data() + column * depth;
    for (std::size_t k = 0; k < depth; ++k) sum += compares ? x[k] ^ y[k] : x[k] * y[k];
    if (p.flags.saturate != 0) {
      sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max());
    }
    return std::uint64_t{static_cast<std::uint32_t>(sum)};
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
