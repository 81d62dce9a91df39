#pragma once

// nvcc and NVRTC compile this file; it includes no host headers itself.
namespace warpwise::kernels::disparity {

/// A lane's position in a row of both padded images, four columns at a time. Holds four pixels of
/// the left image, the same for every lane, and the right pixels that the lane's four displacements
/// compare with them. The loads of the next four are already in flight.
struct RowWords {
  const unsigned* left_at;
  const unsigned* right_at;
  unsigned left, right, right_before, left_next, right_next;

  /// \param left_row   the word of the first four columns
  /// \param right_row  the word of these columns, moved left by the lane's first displacement
  __device__ void start(const unsigned* left_row, const unsigned* right_row) {
    left_at = left_row;
    right_at = right_row;
    right_before = right_at[-1];
    left = left_at[0];
    right = right_at[0];
    left_next = left_at[1];
    right_next = right_at[1];
  }

  __device__ void advance() {
    right_before = right;
    left = left_next;
    right = right_next;
    left_next = (++left_at)[1];
    right_next = (++right_at)[1];
  }

  /// Returns the left pixel of column i of the four, in all four bytes.
  template <int i>
  __device__ unsigned left_pixel() const {
    return __byte_perm(left, 0, 0x1111 * i);
  }
  /// Returns the left pixel of column i in the lowest byte; the other bytes are 0.
  template <int i>
  __device__ unsigned left_pixel_alone() const {
    return __byte_perm(left, 0, 0x4440 | i);
  }
  /// Returns the right pixels to compare with column i; byte j is for displacement 3 − j.
  template <int i>
  __device__ unsigned right_pixels() const {
    if constexpr (i == 3) return right;
    return __funnelshift_r(right_before, right, 8 * (i + 1));
  }
  template <int i>
  __device__ unsigned differences() const {
    return __vabsdiffu4(left_pixel<i>(), right_pixels<i>());
  }
};

}  // namespace warpwise::kernels::disparity
