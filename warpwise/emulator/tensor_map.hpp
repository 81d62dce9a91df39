#pragma once

// Internal to the emulator: tensor maps, which the emulated driver makes and tensor copies read.

#include <array>
#include <cstdint>

namespace warpwise::emulator {

/// Type of a tensor's elements, and of the operands of a reduction.
enum class ElementType : std::uint32_t { u8, u16, u32, s32, u64, s64, f16, bf16, f32, f64 };

inline std::uint64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::u8: return 1;
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16: return 2;
    case ElementType::u32:
    case ElementType::s32:
    case ElementType::f32: return 4;
    case ElementType::u64:
    case ElementType::s64:
    case ElementType::f64: return 8;
  }
  return 1;
}

/// A tensor map, as cuTensorMapEncodeTiled writes it here and tensor copies read it. NVIDIA does
/// not document the layout of its 128 bytes; this one is our own.
struct TensorMap {
  /// Value of `mark` in a valid map. It is zero, because a kernel that makes a map sets only the
  /// other fields, in zeroed memory.
  static constexpr std::uint64_t expected_mark = 0;
  static constexpr int most_dimensions = 5;

  std::uint64_t mark = expected_mark;
  /// CUTLASS and Triton clear bit 21 of this word in the maps of small tensors, to work around an
  /// error of some drivers. The emulator ignores the word.
  std::uint64_t word_that_libraries_change = 0;
  std::uint64_t address = 0;
  std::array<std::uint64_t, 4> strides{};  ///< strides in bytes, from the second dimension on
  std::array<std::uint32_t, 5> last{};     ///< the size of each dimension less one
  std::array<std::uint16_t, 5> box{};      ///< span of a copy in elements of the tensor
  std::array<std::uint8_t, 5> steps{1, 1, 1, 1, 1};  ///< stride in elements between copied elements
  std::uint8_t last_dimension = 0;  ///< the number of dimensions less one, as PTX's field `rank`
  ElementType type = ElementType::u8;
  std::uint32_t swizzled_bytes = 0;  ///< bytes in a row of the swizzle: 32, 64 or 128; 0: none
  bool fills_with_nan = false;       ///< elements outside the tensor become NaN; false: zero
  std::array<std::uint8_t, 27> unused{};

  std::size_t dimensions() const { return last_dimension + std::size_t{1}; }
};
static_assert(sizeof(TensorMap) == 128);

/// Returns the swizzled address in shared memory of the bytes that an unswizzled tile has at
/// `address`. Pieces of 16 bytes are permuted within rows of `swizzled_bytes`.
inline std::uint64_t swizzled(std::uint64_t address, std::uint32_t swizzled_bytes) {
  if (swizzled_bytes == 0) return address;
  const std::uint64_t pieces = swizzled_bytes / 16 - 1;  // a mask
  return address ^ (address >> 7 & pieces) << 4;
}

}  // namespace warpwise::emulator
