#pragma once

#include "warpwise/primitives/threshold/band_rows.cuh"
#include "warpwise/primitives/threshold/band_sums.cuh"

// The first windows of a segment whose sums slide: from sums down the columns, which take a
// fraction of what the changes of as many rows would. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::threshold {

/// The 16 bytes at `from`, byte `at` of a row, of which some may lie beyond the image: 0 there.
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

/// sum + pixel k of a word.
template <class Pixel>
__device__ inline unsigned plus_pixel(unsigned sum, unsigned word, int k) {
  unsigned result;
  if constexpr (sizeof(Pixel) == 1) {
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(word), "r"(1U << 8 * k), "r"(sum));
  } else {
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(word), "r"(k == 0 ? 0x0001U : 0x0100U), "r"(sum));
  }
  return result;
}

/// Sums down the columns of what a block has of each row, and the windows' from these.
template <class Shape>
class BandStart {
 public:
  /// \param first   the byte of a row that what a block has of it begins with
  /// \param shared  memory for the sums: max(threads, groups) times 16 bytes of pixels as words, a
  ///                Sum for each column and one more, and one for each warp
  __device__ BandStart(const BandArguments& a, int first, void* shared)
      : a_(a), first_(first), groups_(a.pitch / 16),
        parts_(max(static_cast<int>(blockDim.x) / groups_, 1)),
        row_bytes_(static_cast<int>(a.src.width) * size), sums_(static_cast<unsigned*>(shared)),
        prefix_(reinterpret_cast<Sum*>(sums_ + parts_ * groups_ * columns_of_16)) {}

  /// bias less the sums of the windows around row y for a thread's word of results. Called by the
  /// whole block, which may have used the shared memory until now.
  __device__ void less_windows(int y, typename Shape::Less (&less)[Shape::count]) const {
    __syncthreads();
    add_down(y);
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

  /// Down the columns of the image: a thread takes 16 bytes of every parts_th row, so that each
  /// column has as many sums, parts_ apart by all columns.
  __device__ void add_down(int y) const {
    const int last_row = static_cast<int>(a_.src.height) - 1;
    for (int i = static_cast<int>(threadIdx.x); i < groups_ * parts_;
         i += static_cast<int>(blockDim.x)) {
      const int at = first_ + i % groups_ * 16;
      if (at + 16 <= 0 || at >= row_bytes_) continue;
      unsigned sum[columns_of_16] = {};
      const auto add = [&](const uint4& pixels) {
        const unsigned words[4] = {pixels.x, pixels.y, pixels.z, pixels.w};
#pragma unroll
        for (int k = 0; k < columns_of_16; ++k) {
          sum[k] = plus_pixel<Pixel>(sum[k], words[k * size / 4], k % (4 / size));
        }
      };
      const auto row_at = [&](int row) {
        return a_.src.data + min(max(row, 0), last_row) * a_.src.pitch + at;
      };
      const int begin = y - a_.half + i / groups_;
      if (at >= 0 && at + 16 <= row_bytes_ && is_multiple(a_.src.data + at, 16) &&
          a_.src.pitch % 16 == 0) {
#pragma unroll 8
        for (int row = begin; row <= y + a_.half; row += parts_) {
          add(*reinterpret_cast<const uint4*>(row_at(row)));
        }
      } else {
#pragma unroll 1
        for (int row = begin; row <= y + a_.half; row += parts_) {
          add(load_16(row_at(row), at, row_bytes_));
        }
      }
#pragma unroll
      for (int k = 0; k < columns_of_16; ++k) sums_[i * columns_of_16 + k] = sum[k];
    }
  }

  /// Along the row of column sums, continued beyond the image by its edge columns: prefix_[i]
  /// becomes the sum of those before column i.
  __device__ void add_along() const {
    const int columns = groups_ * columns_of_16;
    const int begin = max(-first_ / size, 0);  // of the image
    const int end = min((row_bytes_ - first_) / size, columns);
    const int threads = static_cast<int>(blockDim.x);
    const int each = (columns + threads - 1) / threads;
    const int from = static_cast<int>(threadIdx.x) * each;
    const int to = min(from + each, columns);
    const auto column_sum = [&](int i) {
      Sum sum = 0;
      for (int p = 0; p < parts_; ++p) sum += sums_[p * columns + min(max(i, begin), end - 1)];
      return sum;
    };
    Sum own = 0;
    for (int i = from; i < to; ++i) own += column_sum(i);
    const Sum up_to_here = warp_inclusive_scan(own);
    Sum* const warp_sums = prefix_ + columns + 1;
    if (threadIdx.x % 32 == 31) warp_sums[threadIdx.x / 32] = up_to_here;
    __syncthreads();
    Sum before = up_to_here - own;
    for (unsigned w = 0; w < threadIdx.x / 32; ++w) before += warp_sums[w];
    __syncthreads();  // machine code reads 16 bytes at once, of which some are of prefix_
    for (int i = from; i < to; ++i) {
      prefix_[i] = before;
      before += column_sum(i);
    }
    if (to == columns && from < to) prefix_[columns] = before;
    __syncthreads();
  }

  const BandArguments& a_;
  int first_;
  int groups_;
  int parts_;
  int row_bytes_;
  unsigned* sums_;
  Sum* prefix_;
};

}  // namespace warpwise::kernels::threshold
