#pragma once

#include <cuda/std/cstdint>
#include <cuda/std/type_traits>

#include "warpwise/primitives/threshold/arguments.hpp"

// Kernels of mean and exact_mean for calls that neither bands, wide bands nor tiles can take.
// Fit for nvcc and NVRTC: no host headers.
//
// Down the columns, a window's sum follows from the row above: one row comes in, one goes out.
// Along a row, it is the difference of two prefix sums of the column sums. The cost therefore does
// not depend on the window. Sum is uint32, or uint64 for u16 and for rules that need 64 bits. Sums
// may wrap around; their differences are still right.
namespace warpwise::kernels::threshold {

using cuda::std::int64_t;
using cuda::std::uint32_t;
using cuda::std::uint64_t;

/// Returns pixel x of a row. A u16 row may start at an odd address: it is then read by bytes.
template <class Pixel>
__device__ inline unsigned load_pixel(const unsigned char* row, int64_t x) {
  const unsigned char* p = row + x * static_cast<int64_t>(sizeof(Pixel));
  if constexpr (sizeof(Pixel) == 1) {
    return *p;
  } else {
    if ((reinterpret_cast<cuda::std::uintptr_t>(p) & 1) == 0) {
      return *reinterpret_cast<const Pixel*>(p);
    }
    return p[0] | static_cast<unsigned>(p[1]) << 8;
  }
}

/// Writes element x of a row at any address, byte by byte if the address is not aligned.
template <class T>
__device__ inline void store_element(unsigned char* row, int64_t x, T value) {
  unsigned char* p = row + x * static_cast<int64_t>(sizeof(T));
  if ((reinterpret_cast<cuda::std::uintptr_t>(p) & (sizeof(T) - 1)) == 0) {
    *reinterpret_cast<T*>(p) = value;
    return;
  }
  unsigned bits = 0;
  if constexpr (cuda::std::is_same_v<T, float>) {
    bits = __float_as_uint(value);
  } else {
    bits = value;
  }
  for (unsigned i = 0; i < sizeof(T); ++i) p[i] = static_cast<unsigned char>(bits >> 8 * i);
}

/// Returns four bytes of a (digits 0 … 3) and b (4 … 7), named by the hexadecimal digits of
/// `selector`. A digit plus 8 gives eight copies of the byte's sign bit.
__device__ inline unsigned permuted(unsigned a, unsigned b, unsigned selector) {
  unsigned result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

__device__ inline int64_t clamp_index(int64_t index, int64_t size) {
  return index < 0 ? 0 : (index < size ? index : size - 1);
}

/// Returns the number of rows of the segment that begins at `first`. The last may have fewer.
__device__ inline int segment_rows_from(int64_t first, int64_t height) {
  const int64_t rest = height - first;
  return rest < threshold_segment_rows ? static_cast<int>(rest) : threshold_segment_rows;
}

/// Sums each segment's rows by column. Grid: x covers the columns, y strides over segments.
template <class Pixel, class Sum>
__global__ void __launch_bounds__(threshold_block_threads) threshold_segments(ColumnArguments a) {
  const int64_t x = int64_t{blockIdx.x} * threshold_block_threads + threadIdx.x;
  if (x >= a.src.width) return;
  const int64_t segments = (a.src.height + threshold_segment_rows - 1) / threshold_segment_rows;
  for (int64_t segment = blockIdx.y; segment < segments; segment += gridDim.y) {
    const int64_t first = segment * threshold_segment_rows;
    const int rows = segment_rows_from(first, a.src.height);
    const unsigned char* row = a.src.data + first * a.src.pitch;
    unsigned sum = 0;  // 32 bits hold 64 rows of 16 bits
#pragma unroll 8
    for (int i = 0; i < rows; ++i, row += a.src.pitch) sum += load_pixel<Pixel>(row, x);
    static_cast<Sum*>(a.segments)[segment * a.columns_pitch + x] = sum;
  }
}

/// Replaces each segment's sums by the sums of all segments above it. Grid: x covers the columns.
template <class Sum>
__global__ void __launch_bounds__(threshold_block_threads)
    threshold_scan_segments(ColumnArguments a) {
  const int64_t x = int64_t{blockIdx.x} * threshold_block_threads + threadIdx.x;
  if (x >= a.src.width) return;
  const int64_t segments = (a.src.height + threshold_segment_rows - 1) / threshold_segment_rows;
  Sum* at = static_cast<Sum*>(a.segments) + x;
  Sum above = 0;
  for (int64_t segment = 0; segment < segments; ++segment, at += a.columns_pitch) {
    const Sum own = *at;
    *at = above;
    above += own;
  }
}

/// Returns the sum of the first `rows` rows of column x, whose edge pixels repeat beyond the image.
/// If `rows` is negative, it returns minus the sum of that number of rows above the image.
template <class Pixel, class Sum>
__device__ Sum column_prefix(const ColumnArguments& a, int64_t x, int64_t rows) {
  if (rows <= 0) return static_cast<Sum>(rows) * load_pixel<Pixel>(a.src.data, x);
  const int64_t inside = rows < a.src.height ? rows : a.src.height;
  // A prefix that ends with a segment is taken as all rows of that segment, rather than as none of
  // the next, because the last segment has no next one.
  const int64_t segment = (inside - 1) / threshold_segment_rows;
  Sum sum = static_cast<const Sum*>(a.segments)[segment * a.columns_pitch + x];
  const unsigned char* row = a.src.data + segment * threshold_segment_rows * a.src.pitch;
  const int count = static_cast<int>(inside - segment * threshold_segment_rows);
#pragma unroll 8
  for (int i = 0; i < count; ++i, row += a.src.pitch) sum += load_pixel<Pixel>(row, x);
  if (rows > a.src.height) {
    const unsigned char* last = a.src.data + (a.src.height - 1) * a.src.pitch;
    sum += static_cast<Sum>(rows - a.src.height) * load_pixel<Pixel>(last, x);
  }
  return sum;
}

/// Returns the sum of the window's rows around row y of column x.
template <class Pixel, class Sum>
__device__ Sum column_window(const ColumnArguments& a, int64_t x, int64_t y) {
  if (a.segments != nullptr) {
    return column_prefix<Pixel, Sum>(a, x, y + a.half + 1) -
           column_prefix<Pixel, Sum>(a, x, y - a.half);
  }
  Sum sum = 0;
  const int rows = static_cast<int>(2 * a.half + 1);
#pragma unroll 8
  for (int i = 0; i < rows; ++i) {
    const int64_t at = clamp_index(y - a.half + i, a.src.height);
    sum += load_pixel<Pixel>(a.src.data + at * a.src.pitch, x);
  }
  return sum;
}

/// Computes the column sums of every window: each thread slides down one column of one segment. The
/// padding of a row gets the sums of the last column. Grid: x covers the columns, y strides over
/// segments.
template <class Pixel, class Sum>
__global__ void __launch_bounds__(threshold_block_threads) threshold_columns(ColumnArguments a) {
  const int64_t padded_x = int64_t{blockIdx.x} * threshold_block_threads + threadIdx.x;
  if (padded_x >= a.columns_pitch) return;
  const int64_t x = padded_x < a.src.width ? padded_x : a.src.width - 1;
  const int64_t segments = (a.src.height + threshold_segment_rows - 1) / threshold_segment_rows;
  for (int64_t segment = blockIdx.y; segment < segments; segment += gridDim.y) {
    const int64_t first = segment * threshold_segment_rows;
    const int rows = segment_rows_from(first, a.src.height);
    Sum sum = column_window<Pixel, Sum>(a, x, first);
    Sum* out = static_cast<Sum*>(a.columns) + first * a.columns_pitch + padded_x;
#pragma unroll 8
    for (int i = 0; i < rows; ++i, out += a.columns_pitch) {
      *out = sum;
      const int64_t in = clamp_index(first + i + a.half + 1, a.src.height);
      const int64_t gone = clamp_index(first + i - a.half, a.src.height);
      sum += static_cast<Sum>(load_pixel<Pixel>(a.src.data + in * a.src.pitch, x)) -
             load_pixel<Pixel>(a.src.data + gone * a.src.pitch, x);
    }
  }
}

/// Returns the sum of `value` over the lanes up to this one.
template <class Sum>
__device__ inline Sum warp_inclusive_scan(Sum value) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const Sum lower = __shfl_up_sync(0xffffffffU, value, distance);
    if (lane >= distance) value += lower;
  }
  return value;
}

/// Adjacent sums, moved in 16-byte accesses.
template <class Sum>
struct alignas(16) SumGroup {
  Sum value[threshold_scan_columns];
};

/// Replaces a row of column sums by its inclusive prefix sums. Called by the whole block.
template <class Sum>
__device__ void scan_row(Sum* row, int64_t width, Sum* warp_sums) {
  const unsigned warp = threadIdx.x / 32;
  Sum carry = 0;
  for (int64_t chunk = 0; chunk < width; chunk += threshold_scan_chunk) {
    // Rows of sums are padded to whole groups.
    const int64_t x = chunk + threadIdx.x * threshold_scan_columns;
    auto* const at = reinterpret_cast<SumGroup<Sum>*>(row + x);
    SumGroup<Sum> group = {};
    if (x < width) group = *at;
#pragma unroll
    for (int i = 1; i < threshold_scan_columns; ++i) group.value[i] += group.value[i - 1];
    const Sum own = group.value[threshold_scan_columns - 1];
    const Sum up_to_here = warp_inclusive_scan(own);
    if (threadIdx.x % 32 == 31) warp_sums[warp] = up_to_here;
    __syncthreads();
    Sum before = carry + up_to_here - own;
    for (unsigned w = 0; w < threshold_warps; ++w) {
      const Sum sum = warp_sums[w];
      if (w < warp) before += sum;
      carry += sum;
    }
    if (x < width) {
#pragma unroll
      for (int i = 0; i < threshold_scan_columns; ++i) group.value[i] += before;
      *at = group;
    }
    __syncthreads();  // waits until warp_sums is free and the row's sums are written
  }
}

/// Returns the sum of the first `count` columns. Beyond the row its end columns repeat.
template <class Sum>
__device__ inline Sum row_prefix(const Sum* prefix, int64_t width, Sum left, Sum right,
                                 int64_t count) {
  if (count <= 0) return static_cast<Sum>(count) * left;
  if (count <= width) return prefix[count - 1];
  return prefix[width - 1] + static_cast<Sum>(count - width) * right;
}

template <class Pixel, class Sum>
__device__ inline void store_mean(const ThresholdOutput& out, int64_t x, int64_t y, Sum sum,
                                  Sum area) {
  unsigned char* row = out.mean + y * out.mean_pitch;
  if (out.mean_is_float) {
    store_element(row, x, static_cast<float>(static_cast<double>(sum) / static_cast<double>(area)));
  } else {
    store_element(row, x, static_cast<Pixel>((sum + area / 2) / area));
  }
}

/// Scans each row of column sums in place and decides its pixels. Grid: x strides over the rows, of
/// which a block takes one at a time.
template <class Pixel, class Sum>
__global__ void __launch_bounds__(threshold_block_threads) threshold_rows(RowArguments a) {
  __shared__ Sum warp_sums[threshold_warps];
  const int64_t width = a.src.width;
  for (int64_t y = blockIdx.x; y < a.src.height; y += gridDim.x) {
    Sum* const prefix = static_cast<Sum*>(a.columns) + y * a.columns_pitch;
    scan_row(prefix, width, warp_sums);
    const Sum left = prefix[0];
    const Sum right = width == 1 ? left : prefix[width - 1] - prefix[width - 2];
    const auto area = static_cast<Sum>(a.area);
    const auto bias = static_cast<Sum>(a.bias);
    const unsigned char* src = a.src.data + y * a.src.pitch;
    unsigned char* dst = a.out.dst + y * a.out.dst_pitch;
    for (int64_t x = threadIdx.x; x < width; x += threshold_block_threads) {
      const Sum sum = row_prefix(prefix, width, left, right, x + a.half + 1) -
                      row_prefix(prefix, width, left, right, x - a.half);
      const Sum excess = load_pixel<Pixel>(src, x) * area + bias - sum;
      const bool above = static_cast<cuda::std::make_signed_t<Sum>>(excess) >= 0;
      store_element(dst, x, static_cast<Pixel>(above ? a.out.above : a.out.below));
      if (a.out.mean != nullptr) store_mean<Pixel>(a.out, x, y, sum, area);
    }
  }
}

}  // namespace warpwise::kernels::threshold
