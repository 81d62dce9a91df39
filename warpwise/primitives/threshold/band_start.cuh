#pragma once

#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/threshold/band_rows.cuh"
#include "warpwise/primitives/threshold/band_sums.cuh"

// Computes the sums of a segment's first windows from column sums. Adding up the windows' rows, as
// threshold_bands does, would take much longer. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::threshold {

/// Returns the 16 bytes at `from`, which is byte `at` of a row. Bytes beyond the image are 0.
__device__ inline uint4 load_16(const unsigned char* from, int at, int row_bytes) {
  unsigned words[4];
  const bool in_words = is_multiple(from, 4);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int word_at = at + 4 * i;
    words[i] = in_words && word_at >= 0 && word_at + 4 <= row_bytes
                   ? reinterpret_cast<const unsigned*>(from)[i]
                   : word_near_edge(from - at, word_at, row_bytes);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// Computes the input of BandStart: column sums of each group of sums_rows rows. Goes from the
/// last rows to the first, which are then usually still cached when threshold_wide_bands begins.
/// Grid: x covers the groups of 16 bytes of a row, y strides over the groups of rows.
template <class Pixel>
__global__ void __launch_bounds__(threshold_row_sum_threads, threshold_row_sum_blocks)
    threshold_row_sums(WideBandArguments wide) {
  follow_launch();  // waits for the image; only then may the next launch begin
  const BandArguments& a = wide.band;
  constexpr int size = sizeof(Pixel);
  const int group = static_cast<int>(blockIdx.x * threshold_row_sum_threads + threadIdx.x);
  const int at = a.first_byte - a.half * size - a.out_at + 16 * group;
  const int row_bytes = static_cast<int>(a.src.width) * size;
  if (at + 16 <= 0 || at >= row_bytes) return;
  const bool in_16 =
      at >= 0 && at + 16 <= row_bytes && is_multiple(a.src.data + at, 16) && a.src.pitch % 16 == 0;
  const int height = static_cast<int>(a.src.height);
  const int parts = (height + wide.sums_rows - 1) / wide.sums_rows;
  for (int i = static_cast<int>(blockIdx.y); i < parts; i += static_cast<int>(gridDim.y)) {
    const int part = parts - 1 - i;
    const int begin = part * wide.sums_rows;
    const int end = min(begin + wide.sums_rows, height);
    const unsigned char* row = a.src.data + begin * a.src.pitch + at;
    unsigned sums[8] = {};  // u8: packs a word's columns 0 and 2, then its columns 1 and 3
    const auto add = [&](const uint4& pixels) {
      const unsigned words[4] = {pixels.x, pixels.y, pixels.z, pixels.w};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        sums[2 * k] += size == 1 ? words[k] & 0x00ff00ff : words[k] & 0xffff;
        sums[2 * k + 1] += size == 1 ? words[k] >> 8 & 0x00ff00ff : words[k] >> 16;
      }
    };
    if (in_16) {
      // The loads of 16 rows are issued before the first is used.
      constexpr int batch = threshold_row_sum_least_rows;
#pragma unroll 1
      for (int y = begin; y < end; y += batch) {
        uint4 pixels[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k, row += a.src.pitch) {
          pixels[k] =
              y + k < end ? __ldg(reinterpret_cast<const uint4*>(row)) : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int k = 0; k < batch; ++k) add(pixels[k]);
      }
    } else {
#pragma unroll 1
      for (int y = begin; y < end; ++y, row += a.src.pitch) add(load_16(row, at, row_bytes));
    }
    if constexpr (size == 1) {
#pragma unroll
      for (int k = 0; k < 8; k += 2) {
        const unsigned even = sums[k];
        sums[k] = permuted(even, sums[k + 1], 0x5410);
        sums[k + 1] = permuted(even, sums[k + 1], 0x7632);
      }
    }
    auto* const to =
        reinterpret_cast<uint4*>(wide.sums + part * wide.sums_pitch + int64_t{32} * group);
    to[0] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    to[1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
  }
}

/// Adds 16 bytes of pixels, `times` times each, to the sums of their columns.
template <class Pixel>
__device__ inline void add_16(unsigned (&sum)[16 / sizeof(Pixel)], const uint4& pixels, int times) {
  constexpr int size = sizeof(Pixel);
  const unsigned words[4] = {pixels.x, pixels.y, pixels.z, pixels.w};
#pragma unroll
  for (int k = 0; k < 16 / size; ++k) {
    const unsigned pixel = words[k * size / 4] >> (8 * (k * size % 4));
    sum[k] += (pixel & (size == 1 ? 0xff : 0xffff)) * static_cast<unsigned>(times);
  }
}

/// Computes sums of windows from the column sums of a block's part of the rows.
template <class Shape>
class BandStart {
 public:
  /// \param strip   index of the block's strip
  /// \param first   byte of a row at which the block's part begins
  /// \param shared  memory for three arrays: column sums, one word for each pixel of
  ///                16 * max(threads, pitch / 16) bytes; prefix sums, one Sum for each column and
  ///                four more; one Sum for each warp
  __device__ BandStart(const WideBandArguments& wide, int strip, int first, void* shared)
      : wide_(wide), a_(wide.band), strip_(strip), first_(first), groups_(a_.pitch / 16),
        parts_(max(static_cast<int>(blockDim.x) / groups_, 1)),
        row_bytes_(static_cast<int>(a_.src.width) * size), sums_(static_cast<unsigned*>(shared)),
        prefix_(reinterpret_cast<Sum*>(sums_ + parts_ * groups_ * columns_of_16)) {}

  /// Computes bias minus the sums of the windows around row y, for a thread's word of results.
  /// Called by the whole block; overwrites the shared memory.
  __device__ void less_windows(int y, typename Shape::Less (&less)[Shape::count]) const {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < groups_ * parts_;
         i += static_cast<int>(blockDim.x)) {
      unsigned sum[columns_of_16] = {};
      add_down(y, i % groups_, i / groups_, sum);
#pragma unroll
      for (int k = 0; k < columns_of_16; ++k) sums_[i * columns_of_16 + k] = sum[k];
    }
    __syncthreads();
    add_along();
    const Sum* const from =
        prefix_ + a_.out_at / size + Shape::count * static_cast<int>(threadIdx.x);
#pragma unroll
    for (int k = 0; k < Shape::count; ++k) {
      less[k] = static_cast<typename Shape::Less>(static_cast<Sum>(a_.bias) -
                                                  (from[k + 2 * a_.half + 1] - from[k]));
    }
  }

 private:
  using Pixel = typename Shape::Pixel;
  using Sum = cuda::std::make_unsigned_t<typename Shape::Less>;
  static constexpr int size = Shape::size;
  static constexpr int columns_of_16 = 16 / size;

  /// Adds to `sum` the column sums of the i-th 16 bytes, over the rows of the window around row y.
  /// First adds whole groups of rows, then adds or subtracts the single rows by which the window
  /// differs from these groups. Takes every parts_-th group and row only, from index `part` on.
  __device__ void add_down(int y, int i, int part, unsigned (&sum)[columns_of_16]) const {
    const int at = first_ + i * 16;
    if (at + 16 <= 0 || at >= row_bytes_) return;
    const int height = static_cast<int>(a_.src.height);
    const int above = min(max(a_.half - y, 0), 2 * a_.half + 1);  // rows above the image
    const int below = max(y + a_.half - (height - 1), 0);
    const int begin = max(y - a_.half, 0);
    const int end = min(y + a_.half + 1, height);
    const int rows = wide_.sums_rows;
    // The groups whose borders are nearest to the window's borders.
    const int first_part = (begin + rows / 2) / rows;
    const int end_part = (end + rows / 2) / rows;
    const int part_begin = min(first_part * rows, height);
    const int part_end = min(end_part * rows, height);
    const int top = min(begin, part_begin);
    const int at_top = max(begin, part_begin) - top;
    const int bottom = min(end, part_end);
    const int others = at_top + max(end, part_end) - bottom + 2;
    const auto* from = wide_.sums + (int64_t{32} * i + 2 * int64_t{strip_} * Shape::strip);
#pragma unroll 1
    for (int p = first_part + part; p < end_part; p += at_once * parts_) {
      uint4 both[at_once][2];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int at_part = p + k * parts_;
        const auto* const sums = reinterpret_cast<const uint4*>(from + at_part * wide_.sums_pitch);
        const bool is_there = at_part < end_part;
        both[k][0] = is_there ? sums[0] : make_uint4(0, 0, 0, 0);
        both[k][1] = is_there ? sums[1] : make_uint4(0, 0, 0, 0);
      }
#pragma unroll
      for (const uint4(&of)[2] : both) {
        const unsigned words[8] = {of[0].x, of[0].y, of[0].z, of[0].w,
                                   of[1].x, of[1].y, of[1].z, of[1].w};
#pragma unroll
        for (int k = 0; k < columns_of_16; ++k) {
          sum[k] += size == 2 ? words[k] : k % 2 == 0 ? words[k / 2] & 0xffff : words[k / 2] >> 16;
        }
      }
    }
    const bool in_16 = at >= 0 && at + 16 <= row_bytes_ && is_multiple(a_.src.data + at, 16) &&
                       a_.src.pitch % 16 == 0;
    // The rows at either end come first, then the image's edge rows, repeated above and below it.
    const auto row_at = [&](int p) {
      if (p >= others - 2) return p == others - 2 ? 0 : height - 1;
      return p < at_top ? top + p : bottom + p - at_top;
    };
    const auto times_of = [&](int p) {
      if (p >= others) return 0;
      if (p >= others - 2) return p == others - 2 ? above : below;
      return (p < at_top ? begin < part_begin : part_end < end) ? 1 : -1;
    };
    const auto address_of = [&](int p) { return a_.src.data + row_at(p) * a_.src.pitch + at; };
    if (!in_16) {
#pragma unroll 1
      for (int p = part; p < others; p += parts_) {
        if (times_of(p) == 0) continue;
        add_16<Pixel>(sum, load_16(address_of(p), at, row_bytes_), times_of(p));
      }
      return;
    }
#pragma unroll 1
    for (int p = part; p < others; p += at_once * parts_) {
      uint4 pixels[at_once];
      int times[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        times[k] = times_of(p + k * parts_);
        pixels[k] = times[k] == 0 ? make_uint4(0, 0, 0, 0)
                                  : *reinterpret_cast<const uint4*>(address_of(p + k * parts_));
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) add_16<Pixel>(sum, pixels[k], times[k]);
    }
  }

  /// Loads that add_down() issues before it uses the first.
  static constexpr int at_once = 4;

  /// Returns a part's sum as a signed number: a part may subtract rows that another part has added.
  /// Windows that fit in shared memory have fewer than 32767 rows, so 31 bits hold the sum.
  static __device__ Sum signed_sum(unsigned part) {
    return static_cast<Sum>(static_cast<int>(part));
  }

  /// Number of columns that a thread takes at once.
  static constexpr int step = 8;
  template <class Value>
  struct alignas(16) Step {
    Value value[step];
  };

  /// Computes prefix sums of the row of column sums: prefix_[i] becomes the sum of all columns
  /// before i. Beyond the image the edge columns repeat.
  __device__ void add_along() const {
    const int columns = groups_ * columns_of_16;
    const int begin = max(-first_ / size, 0);  // start of the image
    const int end = min((row_bytes_ - first_) / size, columns);
    const int threads = static_cast<int>(blockDim.x);
    Sum* const warp_sums = prefix_ + columns + 4;
    Sum carry = 0;
    for (int all = 0; all < columns; all += step * threads) {
      const int at = all + step * static_cast<int>(threadIdx.x);
      Step<Sum> sums = {};
      if (at >= begin && at + step <= end) {
        for (int p = 0; p < parts_; ++p) {
          const auto part = *reinterpret_cast<const Step<unsigned>*>(sums_ + p * columns + at);
#pragma unroll
          for (int i = 0; i < step; ++i) sums.value[i] += signed_sum(part.value[i]);
        }
      } else if (at < columns) {
        for (int p = 0; p < parts_; ++p) {
#pragma unroll
          for (int i = 0; i < step; ++i) {
            sums.value[i] += signed_sum(sums_[p * columns + min(max(at + i, begin), end - 1)]);
          }
        }
      }
      Sum own = 0;
#pragma unroll
      for (int i = 0; i < step; ++i) {
        const Sum sum = sums.value[i];
        sums.value[i] = own;
        own += sum;
      }
      const Sum up_to_here = warp_inclusive_scan(own);
      if (threadIdx.x % 32 == 31) warp_sums[threadIdx.x / 32] = up_to_here;
      __syncthreads();
      Sum before = carry + up_to_here - own;
      for (int w = 0; w < threads / 32; ++w) {
        const Sum sum = warp_sums[w];
        if (w < static_cast<int>(threadIdx.x / 32)) before += sum;
        carry += sum;
      }
      if (at < columns) {
#pragma unroll
        for (int i = 0; i < step; ++i) sums.value[i] += before;
        *reinterpret_cast<Step<Sum>*>(prefix_ + at) = sums;
        if (at + step == columns) prefix_[columns] = before + own;
      }
      __syncthreads();
    }
  }

  const WideBandArguments& wide_;
  const BandArguments& a_;
  int strip_;
  int first_;
  int groups_;
  int parts_;
  int row_bytes_;
  unsigned* sums_;
  Sum* prefix_;
};

}  // namespace warpwise::kernels::threshold
