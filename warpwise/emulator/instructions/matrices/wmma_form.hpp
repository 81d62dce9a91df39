#pragma once

// Internal to the emulator: the matrices of wmma, and the positions of their elements in a warp's
// registers. PTX does not define these positions. Here the elements are numbered row by row (in B:
// column by column). A register of a lane holds `packed` consecutive elements, and the next lane
// holds the next ones. Element e of register r in a lane thus has the number
// (32 r + lane) * packed + e. Sums of 16 x 16 have other positions: see WmmaMatrix::first().

#include <cstddef>
#include <cstdint>

#include "warpwise/emulator/decode/flags.hpp"

namespace warpwise::emulator::tensor {

enum class Role : std::uint32_t { a, b, sum };

struct WmmaShape {
  const char* name;
  int rows;
  int columns;
  int depth;
};
inline constexpr WmmaShape wmma_shapes[] = {{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16},
                                            {"m8n32k16", 8, 32, 16},   {"m16n16k8", 16, 16, 8},
                                            {"m8n8k4", 8, 8, 4},       {"m8n8k32", 8, 8, 32},
                                            {"m8n8k128", 8, 8, 128}};

struct WmmaFlags {
  std::uint32_t shape : 3 = 0;  ///< index in wmma_shapes
  Role role : 2 = Role::a;      ///< role of the matrix to load or store
  Element element : 4 = Element::f16;
  Element addend : 4 = Element::f32;  ///< element type of C in a product
  Element result : 4 = Element::f32;
  std::uint32_t by_columns : 1 = 0;  ///< columns are contiguous in memory
  std::uint32_t saturate : 1 = 0;
  std::uint32_t conjunction : 1 = 0;  ///< for b1: true combines bits by AND, false by XOR
  std::uint32_t a_signed : 1 = 0;
  std::uint32_t b_signed : 1 = 0;
  std::uint32_t unused : 10 = 0;
};

constexpr int bits_of(Element element) {
  switch (element) {
    case Element::b1: return 1;
    case Element::s4:
    case Element::u4: return 4;
    case Element::s8:
    case Element::u8:
    case Element::e4m3:
    case Element::e5m2: return 8;
    case Element::f16:
    case Element::bf16: return 16;
    case Element::f64: return 64;
    case Element::tf32:
    case Element::f32:
    case Element::s32: break;
  }
  return 32;
}

/// A matrix of a product, stored in lines: the columns of B, or the rows of A or of sums.
struct WmmaMatrix {
  int lines = 0;
  int length = 0;
  Element element = Element::f16;
  bool is_sum = false;

  WmmaMatrix(const WmmaShape& shape, Role role, Element its_element)
      : lines(role == Role::b ? shape.columns : shape.rows),
        length(role == Role::sum ? shape.columns : shape.depth), element(its_element),
        is_sum(role == Role::sum) {}
  int register_bits() const { return element == Element::f64 ? 64 : 32; }
  int packed() const { return register_bits() / bits_of(element); }
  int registers() const { return lines * length / 32 / packed(); }
  /// Returns the index of a register's first element in the matrix. Sums of 16 x 16 are laid out as
  /// in fragments.hpp, because a program may pass such sums between wmma of halves and other wmma.
  int first(int reg, int lane) const {
    if (!is_sum || lines != 16 || length != 16) return (32 * reg + lane) * packed();
    const int pair = packed() == 2 ? reg : reg / 2;
    const int row = lane / 4 + 8 * (pair & 1);
    const int column = lane % 4 * 2 + 8 * (pair >> 1) + (packed() == 2 ? 0 : reg & 1);
    return row * length + column;
  }
};

/// Returns the number of registers that the instruction names. A and B of halves always have eight,
/// because the instruction was made for hardware that needs each element twice. Registers beyond
/// WmmaMatrix::registers() are unused here.
inline std::size_t stated_registers(const WmmaMatrix& matrix, Role role) {
  return matrix.element == Element::f16 && role != Role::sum
             ? 8
             : static_cast<std::size_t>(matrix.registers());
}

void multiply_wmma(Warp& warp, const Operation& op);
Handler load_wmma(ObserverSet observers);
Handler store_wmma(ObserverSet observers);

}  // namespace warpwise::emulator::tensor
