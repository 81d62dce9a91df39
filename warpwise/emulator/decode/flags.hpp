#pragma once

// Internal to the emulator: flags of operations for their handlers. Each family of instructions has
// a struct of named bit-fields. Decoding writes it to Operation::flags, and the family's handlers
// read it from there. An operation has the flags of one family only.

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "warpwise/emulator/decode/operation.hpp"
#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise::emulator {

/// Combination of a comparison of setp or set with its predicate operand c.
enum class Combination : std::uint32_t { none, with_and, with_or, with_xor };

/// Flags of setp and set.
struct CompareFlags {
  Combination combination : 2 = Combination::none;
  std::uint32_t flush : 1 = 0;  ///< subnormal operands are zero
  std::uint32_t unused : 29 = 0;
};

enum class Property : std::uint32_t { finite, infinite, number, nan, normal, subnormal };

/// Flags of testp.
struct PropertyFlags {
  Property property : 3 = Property::finite;
  std::uint32_t unused : 29 = 0;
};

enum class Rounding : std::uint32_t { nearest, zero, down, up };

/// Flags of floating-point arithmetic of any width, and of conversions from or to floats.
struct FloatFlags {
  Rounding rounding : 2 = Rounding::nearest;
  std::uint32_t flush : 1 = 0;  ///< subnormal operands and results are zero
  std::uint32_t saturate : 1 = 0;
  std::uint32_t relu : 1 = 0;
  std::uint32_t propagate_nan : 1 = 0;
  std::uint32_t to_integral : 1 = 0;    ///< the result is a whole number (.rni, ...)
  std::uint32_t narrow_result : 1 = 0;  ///< an integer result's register has 16 bits, not 32
  std::uint32_t finite : 1 = 0;         ///< infinity becomes the largest finite number
  std::uint32_t xor_sign : 1 = 0;       ///< min and max of magnitudes, with the product's sign
  std::uint32_t unused : 22 = 0;
  friend bool operator==(const FloatFlags&, const FloatFlags&) = default;
};

/// Flags of cvt between integers.
struct IntegerConversionFlags {
  std::uint32_t kept = 0xffffffffU;  ///< mask of the bits that the destination register keeps
};

/// Flags of extended precision: add.cc, addc, madc, ...
struct CarryFlags {
  std::uint32_t reads : 1 = 0;
  std::uint32_t writes : 1 = 0;
  std::uint32_t unused : 30 = 0;
};

enum class PackedComparison : std::uint32_t { eq, ne, lt, le, gt, ge };

/// Flags of the video instructions on two halves or four bytes.
struct PackedFlags {
  std::uint32_t a_signed : 1 = 0;
  std::uint32_t b_signed : 1 = 0;
  std::uint32_t d_signed : 1 = 0;
  std::uint32_t saturate : 1 = 0;
  std::uint32_t accumulate : 1 = 0;  ///< adds the sum of the elements to c
  PackedComparison comparison : 3 = PackedComparison::eq;
  std::uint32_t unused : 24 = 0;
};

enum class PermuteMode : std::uint32_t { selectors, f4e, b4e, rc8, ecl, ecr, rc16 };

/// Flags of prmt.
struct PermuteFlags {
  PermuteMode mode : 3 = PermuteMode::selectors;
  std::uint32_t unused : 29 = 0;
};

enum class BarrierKind : std::uint32_t {
  sync,
  arrive,
  reduce_popc,
  reduce_and,
  reduce_or,
  cluster_arrive,
  cluster_wait
};

/// Flags of bar and barrier.
struct BarrierFlags {
  BarrierKind kind : 3 = BarrierKind::sync;
  std::uint32_t unused : 29 = 0;
};

/// Flags of mma and wmma.mma.
struct ProductFlags {
  std::uint32_t depth : 6 = 0;
  std::uint32_t sixteen_rows : 1 = 0;  ///< else 8
  std::uint32_t a_signed : 1 = 0;
  std::uint32_t b_signed : 1 = 0;
  std::uint32_t saturate : 1 = 0;
  std::uint32_t bfloats : 1 = 0;
  std::uint32_t half_result : 1 = 0;
  std::uint32_t half_addend : 1 = 0;
  std::uint32_t a_coarse : 1 = 0;  ///< 8-bit floats of A are e5m2, else e4m3
  std::uint32_t b_coarse : 1 = 0;
  std::uint32_t unused : 17 = 0;
};

/// Flags of ldmatrix and stmatrix.
struct MatrixFlags {
  std::uint32_t matrices : 3 = 0;  ///< number of 8 x 8 matrices: 1, 2 or 4
  std::uint32_t transposed : 1 = 0;
  std::uint32_t unused : 28 = 0;
};

/// Element types of matrices.
enum class Element : std::uint32_t {
  f16,
  bf16,
  tf32,
  f64,
  s8,
  u8,
  s4,
  u4,
  b1,
  e4m3,
  e5m2,
  f32,
  s32
};

/// Flags of mma of elements that ProductFlags does not cover.
struct ElementProductFlags {
  Element a : 4 = Element::tf32;
  Element b : 4 = Element::tf32;
  std::uint32_t depth : 9 = 0;
  std::uint32_t sixteen_rows : 1 = 0;  ///< else 8
  std::uint32_t saturate : 1 = 0;
  std::uint32_t conjunction : 1 = 0;  ///< for b1: true combines bits by AND, false by XOR
  std::uint32_t unused : 12 = 0;
};

enum class MbarrierKind : std::uint32_t { init, inval, expect, complete, arrive, test, track };

/// Flags of mbarrier instructions.
struct MbarrierFlags {
  MbarrierKind kind : 3 = MbarrierKind::init;
  std::uint32_t drops : 1 = 0;         ///< arrive_drop
  std::uint32_t expects : 1 = 0;       ///< arrive.expect_tx
  std::uint32_t by_parity : 1 = 0;     ///< the phase is given by its parity, not by a state
  std::uint32_t wide_operand : 1 = 0;  ///< operand b has 64 bits
  std::uint32_t tracks : 1 = 0;        ///< the phase also waits for the thread's cp.async
  std::uint32_t unused : 24 = 0;
};

/// Flags of commit_group, wait_group and wait_all of asynchronous operations.
struct GroupFlags {
  Asynchronous what : 3 = Asynchronous::none;
  std::uint32_t commits : 1 = 0;
  std::uint32_t waits : 1 = 0;       ///< waits for all but the last `left` groups
  std::uint32_t reads_only : 1 = 0;  ///< waits only until the copies have read their sources
  std::uint32_t left : 26 = 0;
  static constexpr std::uint32_t most_left = (1U << 26) - 1;
};

/// Operation that combines copied elements with the destination.
enum class Reduction : std::uint32_t {
  none,
  add,
  minimum,
  maximum,
  increment,
  decrement,
  conjunction,
  disjunction,
  exclusive
};

/// Flags of cp.async.bulk and cp.reduce.async.bulk. Without to_global and from_shared, the
/// instruction copies from global to shared memory.
struct BulkFlags {
  std::uint32_t to_global : 1 = 0;
  std::uint32_t from_shared : 1 = 0;
  std::uint32_t multicast : 1 = 0;
  Reduction reduction : 4 = Reduction::none;
  ElementType type : 4 = ElementType::u8;
  std::uint32_t unused : 21 = 0;
};

/// Flags of cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
struct TensorCopyFlags {
  std::uint32_t dimensions : 3 = 0;
  std::uint32_t to_global : 1 = 0;
  std::uint32_t multicast : 1 = 0;
  Reduction reduction : 4 = Reduction::none;
  std::uint32_t unused : 23 = 0;
};

/// Flags of wgmma.mma_async, whose result has 64 rows.
struct WarpgroupProductFlags {
  Element a : 4 = Element::f16;
  Element b : 4 = Element::f16;
  std::uint32_t eight_columns : 6 = 0;  ///< number of the result's columns, divided by 8
  std::uint32_t a_in_registers : 1 = 0;
  std::uint32_t half_result : 1 = 0;
  std::uint32_t saturate : 1 = 0;
  std::uint32_t a_negated : 1 = 0;
  std::uint32_t b_negated : 1 = 0;
  std::uint32_t a_transposed : 1 = 0;  ///< columns of A are contiguous in memory
  std::uint32_t b_transposed : 1 = 0;  ///< rows of B are contiguous in memory
  std::uint32_t unused : 11 = 0;
};

enum class Fragment : std::uint32_t { a, b, half_sum, float_sum };

/// Flags of wmma.load and wmma.store.
struct FragmentFlags {
  Fragment fragment : 2 = Fragment::a;
  std::uint32_t by_columns : 1 = 0;  ///< columns are contiguous in memory
  std::uint32_t unused : 29 = 0;
};

/// Handling of coordinates outside a surface.
enum class SurfaceBoundary : std::uint32_t { trap, clamp, zero };

/// Flags of tex, suld and sust: the stated shape, and the elements of a surface access.
struct GeometryFlags {
  std::uint32_t dimensions : 2 = 1;
  std::uint32_t layered : 1 = 0;
  std::uint32_t cube : 1 = 0;
  std::uint32_t is_store : 1 = 0;
  std::uint32_t elements : 3 = 1;
  std::uint32_t log_bytes : 2 = 0;  ///< binary logarithm of an element's bytes
  SurfaceBoundary boundary : 2 = SurfaceBoundary::trap;
  std::uint32_t gathers : 1 = 0;  ///< reads one channel of four texels
  std::uint32_t channel : 2 = 0;
  std::uint32_t unused : 17 = 0;
};

template <class F>
concept OperationFlags = sizeof(F) == sizeof(std::uint32_t) && std::is_trivially_copyable_v<F>;

/// Packs a family's flags for Operation::flags.
template <OperationFlags F>
std::uint32_t packed_flags(F flags) {
  return std::bit_cast<std::uint32_t>(flags);
}

template <OperationFlags F>
F unpacked_flags(std::uint32_t flags) {
  return std::bit_cast<F>(flags);
}

/// Returns the flags of an operation, which must be of F's family.
template <OperationFlags F>
F flags_of(const Operation& op) {
  return unpacked_flags<F>(op.flags);
}

}  // namespace warpwise::emulator
