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
      : src_(a.src), pitch_(a.pitch), row_bytes_(16 * a.row_groups),
        before_((a.half + 15) / 16 * 16), first_(strip - before_),
        in_groups_(is_multiple(src_.data + first_, 16) && src_.pitch % 16 == 0 &&
                   (first_ >= 0 || first_ % 16 == 0)),
        group_(static_cast<int>(threadIdx.x) % 16), row_(static_cast<int>(threadIdx.x) / 16),
        from_(src_.data + first_ + 16 * group_), bytes_(bytes_from(16 * group_)),
        more_bytes_(bytes_from(16 * group_ + 256)) {}

  /// Returns the number of bytes of a row before the strip.
  __device__ int before() const { return before_; }

  /// Starts to copy the rows from row y on. Called by the whole block.
  __device__ void start(unsigned char* shared, int y) const {
    if (in_groups_) {
      const int64_t from_y = min(max(y + row_, 0), static_cast<int>(src_.height) - 1);
      const unsigned char* const from = from_ + from_y * src_.pitch;
      unsigned char* const to = shared + row_ * pitch_ + 16 * group_;
      if (bytes_ > 0) start_copy_16(to, from, bytes_);
      if (more_bytes_ > 0) start_copy_16(to + 256, from + 256, more_bytes_);
    } else {
      constexpr int any_row = -0x7fffffff;
      BandColumns(src_, first_, pitch_, 1).start_rows(shared, y, any_row);
    }
  }

  /// Waits for the copies. The edges are repeated next, then the block's barrier follows.
  __device__ static void wait() { finish_copies(); }

  /// Overwrites the bytes beyond the image's sides with the edge pixels.
  __device__ void repeat_edges(unsigned char* shared) const {
    if (!in_groups_) return;
    // Done by the threads that have copied these pixels.
    unsigned char* const row = shared + row_ * pitch_;
    if (first_ < 0 && group_ == -first_ / 16) {
      const unsigned edge = row[-first_] * 0x01010101U;
      for (int at = 0; at < -first_; at += 16) put(row + at, edge);
    }
    const int last = static_cast<int>(src_.width) - 1 - first_;
    if (last < row_bytes_ - 1 && group_ == last / 16 % 16) {
      const unsigned edge = row[last] * 0x01010101U;
      for (int at = last / 4 * 4; at < last / 16 * 16 + 16; at += 4) {
        auto* const word = reinterpret_cast<unsigned*>(row + at);
        const unsigned beyond = at + 3 <= last ? 0 : at > last ? ~0U : ~0U << 8 * (last % 4 + 1);
        *word = (*word & ~beyond) | (edge & beyond);
      }
      for (int at = last / 16 * 16 + 16; at < row_bytes_; at += 16) put(row + at, edge);
    }
  }

  /// Says whether the edges are complete at the barrier. If not, the whole block calls
  /// repeat_any_edges() behind it, and another barrier follows.
  __device__ bool is_complete() const {
    return in_groups_ || (first_ >= 0 && first_ + pitch_ <= src_.width);
  }
  __device__ void repeat_any_edges(unsigned char* shared) const {
    BandColumns(src_, first_, pitch_, 1).repeat_edges<unsigned char>(shared);
  }

 private:
  /// Returns how many of the 16 bytes at byte `at` of a row are in the image and used.
  __device__ int bytes_from(int at) const {
    if (at >= row_bytes_ || first_ + at < 0) return 0;
    return min(max(static_cast<int>(src_.width) - first_ - at, 0), 16);
  }

  __device__ static void put(unsigned char* to, unsigned word) {
    *reinterpret_cast<uint4*>(to) = make_uint4(word, word, word, word);
  }

  const ThresholdSource& src_;
  int pitch_;
  int row_bytes_;  ///< that are used
  int before_;
  int first_;       ///< of a row's first byte
  bool in_groups_;  ///< each 16 bytes are at a multiple of 16, and none begin before the image
  int group_;       ///< index of the thread's 16 bytes in a row; it also has those 256 further on
  int row_;
  const unsigned char* from_;  ///< in row 0
  int bytes_;
  int more_bytes_;
};

}  // namespace warpwise::kernels::threshold
