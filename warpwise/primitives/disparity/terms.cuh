#pragma once

#include "warpwise/primitives/disparity/row_words.cuh"
#include "warpwise/primitives/shared/matching.hpp"

// The terms of each measure, and the sums of a column's terms for a lane's four displacements. nvcc
// and NVRTC compile this file; it includes no host headers itself.
namespace warpwise::kernels::disparity {

/// Returns the byte of one of a lane's four slots: byte j of a word belongs to slot 3 − j.
__device__ inline unsigned byte_of_slot(unsigned bytes, int slot) {
  return __byte_perm(bytes, 0, 0x4440 | (3 - slot));
}

/// Products of two images' pixels, for ncc and zncc. Sums are in the order of slots 0 … 3.
template <Measure measure>
struct ColumnTerms {
  using Sums = uint4;

  /// add() adds a row's terms of column i of four; subtract() subtracts them.
  template <int i>
  static __device__ void add(Sums& sums, const RowWords& row) {
    add_products(sums, row.left_pixel_alone<i>(), row.right_pixels<i>());
  }
  template <int i>
  static __device__ void subtract(Sums& sums, const RowWords& row) {
    add_products(sums, 0 - row.left_pixel_alone<i>(), row.right_pixels<i>());
  }

 private:
  static __device__ void add_products(Sums& sums, unsigned pixel, unsigned bytes) {
    sums.x += pixel * byte_of_slot(bytes, 0);
    sums.y += pixel * byte_of_slot(bytes, 1);
    sums.z += pixel * byte_of_slot(bytes, 2);
    sums.w += pixel * byte_of_slot(bytes, 3);
  }
};

template <>
struct ColumnTerms<Measure::ssd> {
  using Sums = uint4;

  template <int i>
  static __device__ void add(Sums& sums, const RowWords& row) {
    const unsigned bytes = row.differences<i>();
    sums.x += square(bytes, 0);
    sums.y += square(bytes, 1);
    sums.z += square(bytes, 2);
    sums.w += square(bytes, 3);
  }
  template <int i>
  static __device__ void subtract(Sums& sums, const RowWords& row) {
    const unsigned bytes = row.differences<i>();
    sums.x -= square(bytes, 0);
    sums.y -= square(bytes, 1);
    sums.z -= square(bytes, 2);
    sums.w -= square(bytes, 3);
  }

 private:
  static __device__ unsigned square(unsigned bytes, int slot) {
    return byte_of_slot(bytes, slot) * byte_of_slot(bytes, slot);
  }
};

/// Sums for sad, at most 255 · 255, in 16-bit halves: slots 3 and 1 in x, slots 2 and 0 in y.
template <>
struct ColumnTerms<Measure::sad> {
  using Sums = uint2;

  template <int i>
  static __device__ void add(Sums& sums, const RowWords& row) {
    const unsigned bytes = row.differences<i>();
    sums.x += even(bytes);
    sums.y += odd(bytes);
  }
  template <int i>
  static __device__ void subtract(Sums& sums, const RowWords& row) {
    const unsigned bytes = row.differences<i>();
    sums.x -= even(bytes);
    sums.y -= odd(bytes);
  }

 private:
  static __device__ unsigned even(unsigned bytes) { return bytes & 0x00ff00ff; }
  static __device__ unsigned odd(unsigned bytes) { return __byte_perm(bytes, 0, 0x4341); }
};

/// A lane's walk along a row of column sums in shared memory. Only the first `lanes` lanes have
/// columns; the others have zeros.
template <Measure measure, int lanes>
class ColumnWalk {
 public:
  using Terms = ColumnTerms<measure>;
  using Sums = typename Terms::Sums;

  RowWords entering, leaving;

  /// \param first  the lane's sums of the first column; the next column's are `lanes` elements on
  /// \param back   a block's width: the leaving column is `back` columns before the entering one
  __device__ ColumnWalk(Sums* first, int back) : column_(first), back_(lanes * back) {}

  /// Slides column i of the four down by a row and returns its sums.
  template <int i>
  __device__ Sums slide() {
    Sums sums = has_columns() ? column_[lanes * i] : Sums{};
    Terms::template add<i>(sums, entering);
    Terms::template subtract<i>(sums, leaving);
    if (has_columns()) column_[lanes * i] = sums;
    return sums;
  }
  /// Returns the column that leaves the block when column i enters it. Call it after slide() of all
  /// four columns: in a small block the leaving column is one of them.
  template <int i>
  __device__ Sums left_behind() const {
    return has_columns() ? column_[lanes * i - back_] : Sums{};
  }
  __device__ void advance() {
    entering.advance();
    leaving.advance();
    column_ += 4 * lanes;
  }
  static __device__ bool has_columns() { return lanes == 32 || threadIdx.x % 32 < lanes; }

 private:
  Sums* column_;
  int back_;
};

}  // namespace warpwise::kernels::disparity
