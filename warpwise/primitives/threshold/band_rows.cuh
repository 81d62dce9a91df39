#pragma once

#include "warpwise/primitives/threshold/kernel.cuh"

// Copies rows of an image to shared memory and repeats the edge pixel beyond the image. Fit for
// nvcc and NVRTC: no host headers.
namespace warpwise::kernels::threshold {

/// Starts to copy the first `bytes` of 16 bytes; the rest of `to` may change. Pointers: 16-aligned.
__device__ inline void start_copy_16(unsigned char* to, const unsigned char* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes)
               : "memory");
#else
  if (bytes == 16) {
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
  } else {
    for (int i = 0; i < bytes; ++i) to[i] = from[i];
  }
#endif
}

/// Starts to copy 16 bytes. Both addresses are multiples of 16.
__device__ inline void start_copy_16(unsigned char* to, const unsigned char* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from)
               : "memory");
#else
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
}

/// Starts to copy a word.
__device__ inline void start_copy_4(unsigned char* to, const unsigned char* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from)
               : "memory");
#else
  *reinterpret_cast<unsigned*>(to) = *reinterpret_cast<const unsigned*>(from);
#endif
}

/// Waits for the copies that this thread has started.
__device__ inline void finish_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

__device__ inline bool is_multiple(const unsigned char* address, unsigned of) {
  return reinterpret_cast<cuda::std::uintptr_t>(address) % of == 0;
}

/// Returns the word at byte `at` of a row. Bytes beyond the image are 0.
__device__ inline unsigned word_near_edge(const unsigned char* row, int at, int row_bytes) {
  unsigned word = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (at + k >= 0 && at + k < row_bytes) word |= unsigned{row[at + k]} << 8 * k;
  }
  return word;
}

/// Writes those bytes of a word that lie in the image, from byte `at` of a row on. A `whole` word
/// is written at once.
__device__ inline void store_word(unsigned char* row, int at, int row_bytes, bool whole,
                                  unsigned word) {
  if (whole) {
    *reinterpret_cast<unsigned*>(row + at) = word;
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (at + k >= 0 && at + k < row_bytes) row[at + k] = static_cast<unsigned char>(word >> 8 * k);
  }
}

/// A block's part of a row in shared memory: bytes `first` … first + pitch - 1. Some of them may
/// lie beyond the image.
class BandColumns {
 public:
  /// \param pitch  an odd multiple of 16: 16 bytes of each of 8 rows then access all banks
  __device__ BandColumns(const ThresholdSource& src, int first, int pitch, int pixel_bytes)
      : src_(src), first_(first), pitch_(pitch),
        row_bytes_(static_cast<int>(src.width) * pixel_bytes),
        height_(static_cast<int>(src.height)) {
    const int threads = static_cast<int>(blockDim.x);
    const int groups = pitch / 16;
    row_ = static_cast<int>(threadIdx.x) / groups;
    group_ = static_cast<int>(threadIdx.x) % groups;
    down_ = threads / groups;
    along_ = threads % groups;
    // Groups of 16 bytes must be at multiples of 16. None may begin before the image and end in it.
    in_groups_ =
        is_multiple(src.data + first, 16) && src.pitch % 16 == 0 && (first >= 0 || first % 16 == 0);
  }

  __device__ int row_bytes() const { return row_bytes_; }
  __device__ bool beyond() const { return first_ < 0 || first_ + pitch_ > row_bytes_; }

  /// Starts to copy 16 rows from row y on; rows above `least` become 0. Called by the whole block,
  /// which then waits by finish_copies() and a barrier. Bytes beyond the image's sides are left to
  /// repeat_edges().
  __device__ void start_rows(unsigned char* to, int y, int least) const {
    constexpr int64_t most_pitch = int64_t{1} << 26;  // 16 rows are less than 2^31 bytes apart
    const bool inside = y >= max(least, 0) && y + 16 <= height_;
    if (in_groups_ && inside && src_.pitch <= most_pitch) {
      beyond() ? start_groups<true>(to, y) : start_groups<false>(to, y);
    } else {
      start_near_edge(to, y, least);
    }
  }

  /// Fetches the 16 rows from row y on into the second-level cache, as far as they are in the
  /// image. Called by the whole block.
  __device__ void fetch_rows(int y) const {
    constexpr int line = 128;
    const int thread = static_cast<int>(threadIdx.x);
    const int row = y + thread / 8;
    const int at = first_ + thread % 8 * line;
    if (thread < 128 && row >= 0 && row < height_ && at >= 0 &&
        at < min(first_ + pitch_, row_bytes_)) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(src_.data + row * src_.pitch + at));
    }
  }

  /// Puts the edge pixels into the bytes of 16 rows that lie beyond the image. Called by the whole
  /// block, between barriers.
  template <class Pixel>
  __device__ void repeat_edges(unsigned char* rows) const {
    constexpr int size = sizeof(Pixel);
    const int threads_a_row = static_cast<int>(blockDim.x) / 16;
    unsigned char* const row = rows + static_cast<int>(threadIdx.x) / threads_a_row * pitch_;
    const int thread = static_cast<int>(threadIdx.x) % threads_a_row;
    const int begin = max(-first_, 0);                 // byte of the row at which the image begins
    const int end = min(row_bytes_ - first_, pitch_);  // byte of the row at which the image ends
    const auto edge = [&](int at) {
      unsigned pixel = row[at];
      if constexpr (size == 2) pixel |= unsigned{row[at + 1]} << 8;
      return pixel * (size == 1 ? 0x01010101 : 0x00010001);
    };
    // Writes whole words, except at the image's borders, where a word also holds pixels.
    const auto put = [&](int at, unsigned word) {
      if (at + 4 <= begin || at >= end) {
        *reinterpret_cast<unsigned*>(row + at) = word;
        return;
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int in_pixel = (at + i + first_) & (size - 1);
        if (at + i < begin || at + i >= end) {
          row[at + i] = static_cast<unsigned char>(word >> 8 * in_pixel);
        }
      }
    };
    if (begin > 0) {
      const unsigned word = edge(begin);
      for (int at = 4 * thread; at < begin; at += 4 * threads_a_row) put(at, word);
    }
    if (end < pitch_) {
      const unsigned word = edge(end - size);
      for (int at = end / 4 * 4 + 4 * thread; at < pitch_; at += 4 * threads_a_row) put(at, word);
    }
  }

 private:
  /// Starts to copy rows inside the image, by groups of 16 bytes; some may lie `beyond` its sides.
  template <bool beyond>
  __device__ void start_groups(unsigned char* to, int y) const {
    const unsigned char* const from = src_.data + y * src_.pitch + first_;
    const auto pitch = static_cast<int>(src_.pitch);
    const int threads = static_cast<int>(blockDim.x);
    const int step = down_ * pitch + 16 * along_;
    int at = row_ * pitch + 16 * group_;
    int group = group_;
#pragma unroll 4
    for (int i = 16 * static_cast<int>(threadIdx.x); i < 16 * pitch_; i += 16 * threads) {
      if constexpr (beyond) {
        const int begin = first_ + 16 * group;
        const int bytes = begin < 0 ? 0 : min(max(row_bytes_ - begin, 0), 16);
        if (bytes > 0) start_copy_16(to + i, from + at, bytes);
      } else {
        start_copy_16(to + i, from + at, 16);
      }
      at += step;
      group += along_;
      if (group >= pitch_ / 16) {
        group -= pitch_ / 16;
        at += pitch - pitch_;
      }
    }
  }

  /// Starts to copy rows at any position, of an image of any alignment.
  __device__ void start_near_edge(unsigned char* to, int y, int least) const {
    const int threads = static_cast<int>(blockDim.x);
    int r = row_;
    int group = group_;
#pragma unroll 1
    for (int i = 16 * static_cast<int>(threadIdx.x); i < 16 * pitch_; i += 16 * threads) {
      if (y + r < least) {
        *reinterpret_cast<uint4*>(to + i) = make_uint4(0, 0, 0, 0);
      } else {
        const unsigned char* const row = src_.data + min(max(y + r, 0), height_ - 1) * src_.pitch;
        start_group(to + i, row, first_ + 16 * group);
      }
      r += down_;
      group += along_;
      if (group >= pitch_ / 16) {
        group -= pitch_ / 16;
        ++r;
      }
    }
  }

  /// Starts to copy 16 bytes from byte `at` of a row. Some of them may lie beyond the image.
  __device__ void start_group(unsigned char* to, const unsigned char* row, int at) const {
    if (at >= row_bytes_ || at + 16 <= 0) return;
    if (at >= 0 && is_multiple(row + at, 16)) {
      return start_copy_16(to, row + at, min(16, row_bytes_ - at));
    }
    const bool words = is_multiple(row + at, 4);
#pragma unroll 4
    for (int i = 0; i < 16; i += 4) {
      if (words && at + i >= 0 && at + i + 4 <= row_bytes_) {
        start_copy_4(to + i, row + at + i);
      } else {
#pragma unroll
        for (int k = i; k < i + 4; ++k) to[k] = row[min(max(at + k, 0), row_bytes_ - 1)];
      }
    }
  }

  const ThresholdSource& src_;
  int first_;
  int pitch_;
  int row_bytes_;  ///< of the image
  int height_;
  bool in_groups_;
  int row_;    ///< row of the thread's first group of 16 bytes
  int group_;  ///< index of this group in its row
  int down_;   ///< number of rows by which the thread's next group is further down
  int along_;  ///< number of groups by which it is further right; may wrap to the next row
};

}  // namespace warpwise::kernels::threshold
