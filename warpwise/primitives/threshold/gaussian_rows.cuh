#pragma once

#include "warpwise/primitives/threshold/band_rows.cuh"

// Copies rows of an image to a block of threshold_gaussian_products. Fit for nvcc and NVRTC: no
// host headers.
namespace warpwise::kernels::threshold {

/// A block's part of the image, in steps of 16 rows. Its rows start a multiple of 16 bytes
/// before the strip, at or before the first byte of its first window.
class ProductRows {
 public:
  __device__ ProductRows(const GaussianProductArguments& a, int strip)
      : src_(a.src), pitch_(a.pitch), before_((a.half + 15) / 16 * 16), first_(strip - before_),
        row_bytes_(16 * a.row_groups),
        in_groups_(is_multiple(src_.data + first_, 16) && src_.pitch % 16 == 0 &&
                   (first_ >= 0 || first_ % 16 == 0)) {
    constexpr int64_t most_pitch = int64_t{1} << 30;
    inside_ = in_groups_ && !beyond() && src_.pitch <= most_pitch;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int i = static_cast<int>(threadIdx.x) + k * threshold_block_threads;
      row_[k] = i / a.row_groups;
      const int at = i % a.row_groups * 16;
      to_[k] = row_[k] < threshold_band_rows ? row_[k] * pitch_ + at : -1;
      from_[k] = src_.data + row_[k] * src_.pitch + first_ + at;
    }
  }

  /// Returns the number of bytes of a row before the strip.
  __device__ int before() const { return before_; }

  /// Starts to copy the rows from row y on. Called by the whole block. Bytes beyond the image's
  /// sides are left to repeat_edges().
  __device__ void start(unsigned char* shared, int y) const {
    const int height = static_cast<int>(src_.height);
    if (inside_ && y >= 0 && y + threshold_band_rows <= height) {
      const auto pitch = static_cast<int>(src_.pitch);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (to_[k] >= 0) start_copy_16(shared + to_[k], from_[k] + int64_t{y} * pitch);
      }
    } else if (in_groups_) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int at = first_ + to_[k] - row_[k] * pitch_;
        const int bytes = at < 0 ? 0 : min(static_cast<int>(src_.width) - at, 16);
        const int row = min(max(y + row_[k], 0), height - 1) - row_[k];
        if (to_[k] >= 0 && bytes > 0) {
          start_copy_16(shared + to_[k], from_[k] + row * src_.pitch, bytes);
        }
      }
    } else {
      constexpr int any_row = -0x7fffffff;
      BandColumns(src_, first_, pitch_, 1).start_rows(shared, y, any_row);
    }
  }

  /// Returns true if some of the rows' bytes lie beyond the image's sides. The whole block then
  /// calls repeat_edges() between barriers.
  __device__ bool beyond() const {
    return first_ < 0 || first_ + row_bytes_ > static_cast<int>(src_.width);
  }
  __device__ void repeat_edges(unsigned char* shared) const {
    BandColumns(src_, first_, pitch_, 1).repeat_edges<unsigned char>(shared);
  }

 private:
  const ThresholdSource& src_;
  int pitch_;
  int before_;
  int first_;  ///< column of a row's first byte
  int row_bytes_;
  bool in_groups_;  ///< each group of 16 bytes is at a multiple of 16; none crosses the left side
  bool inside_;     ///< in_groups_, and the image holds all bytes of the rows
  // The two groups of 16 bytes that the thread copies:
  int row_[2];
  int to_[2];                     ///< offsets in the rows of shared memory; -1: nothing to copy
  const unsigned char* from_[2];  ///< addresses in row 0
};

}  // namespace warpwise::kernels::threshold
