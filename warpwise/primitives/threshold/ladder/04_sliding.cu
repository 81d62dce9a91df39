// Idea: a window that moves on by one pixel gains one pixel and loses one. A thread slides down
//   DOWN rows of a column and writes the column's sums. A second kernel slides along their rows,
//   ALONG pixels a thread. The rung "prefix" has scan_along in its place: a block turns a row into
//   prefix sums and takes the difference of two of them for each window.
// Expected: a few additions a pixel, whatever the window. Only a thread's first sum grows with it.
//   Down the columns a warp's accesses are adjacent. Along a row, those of slide_along are ALONG
//   pixels apart and touch 32 distant addresses; those of scan_along are adjacent. In slide_down a
//   thread waits for each pixel before it loads the next. The compiler cannot prove that the sum
//   stored in between leaves the next pixel unchanged. The rung "ahead" therefore loads AHEAD rows
//   before it stores their sums.
// Next limit: the scratch memory, which the prefix sums read and write once more.
#include "problem.hpp"

using warpwise::ladders::clamped;
using warpwise::ladders::level;

// Sums of whole rows may wrap around; their differences are still right.
extern "C" __global__ void slide_down(warpwise::ladders::ThresholdProblem p) {
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x);
  if (x >= p.width) return;
  const auto pixel = [&](int y) -> unsigned {
    return p.src[clamped(y, p.height) * p.src_pitch + x];
  };
  unsigned* const sums = reinterpret_cast<unsigned*>(p.scratch) + x;
  for (int first = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * DOWN; first < p.height;
       first += static_cast<int>(gridDim.y * BLOCK_Y) * DOWN) {
    const int end = min(first + DOWN, p.height);
    unsigned sum = 0;
    for (int j = first - p.half; j <= first + p.half; ++j) sum += pixel(j);
    for (int y = first; y < end; y += AHEAD) {
      unsigned change[AHEAD];
#pragma unroll
      for (int i = 0; i < AHEAD; ++i) {
        change[i] = pixel(y + i + p.half + 1) - pixel(y + i - p.half);
      }
#pragma unroll
      for (int i = 0; i < AHEAD; ++i) {
        if (y + i < end) sums[static_cast<long long>(y + i) * p.width] = sum;
        sum += change[i];
      }
    }
  }
}

extern "C" __global__ void slide_along(warpwise::ladders::ThresholdProblem p) {
  const int first = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * ALONG;
  if (first >= p.width) return;
  const int end = min(first + ALONG, p.width);
  for (long long y = blockIdx.y * BLOCK_Y + threadIdx.y; y < p.height; y += gridDim.y * BLOCK_Y) {
    const unsigned* const columns = reinterpret_cast<const unsigned*>(p.scratch) + y * p.width;
    const unsigned char* const src = p.src + y * p.src_pitch;
    unsigned char* const dst = p.dst + y * p.dst_pitch;
    unsigned sum = 0;
    for (int i = first - p.half; i <= first + p.half; ++i) sum += columns[clamped(i, p.width)];
    for (int x = first; x < end; ++x) {
      dst[x] = level(p, src[x], static_cast<int>(sum));
      sum += columns[clamped(x + p.half + 1, p.width)] - columns[clamped(x - p.half, p.width)];
    }
  }
}

/// Replaces a row by its inclusive prefix sums. Called by the whole block.
__device__ void scan(unsigned* row, int width, unsigned* warp_sums) {
  const int thread = static_cast<int>(threadIdx.x);
  unsigned carry = 0;
  for (int start = 0; start < width; start += SCAN_THREADS) {
    const int x = start + thread;
    unsigned sum = x < width ? row[x] : 0;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const unsigned lower = __shfl_up_sync(0xffffffffU, sum, distance);
      if (thread % 32 >= distance) sum += lower;
    }
    if (thread % 32 == 31) warp_sums[thread / 32] = sum;
    __syncthreads();
    sum += carry;
    for (int w = 0; w < SCAN_THREADS / 32; ++w) {
      if (w < thread / 32) sum += warp_sums[w];
      carry += warp_sums[w];
    }
    if (x < width) row[x] = sum;
    __syncthreads();  // waits until warp_sums is free and the row's sums are written
  }
}

extern "C" __global__ void scan_along(warpwise::ladders::ThresholdProblem p) {
  __shared__ unsigned warp_sums[SCAN_THREADS / 32];
  for (long long y = blockIdx.x; y < p.height; y += gridDim.x) {
    unsigned* const row = reinterpret_cast<unsigned*>(p.scratch) + y * p.width;
    scan(row, p.width, warp_sums);
    const int last = p.width - 1;
    const unsigned right = last == 0 ? row[0] : row[last] - row[last - 1];
    // Beyond the image the end columns repeat, so prefix sums go on as straight lines.
    const auto up_to = [&](int x) -> unsigned {
      if (x < 0) return static_cast<unsigned>(x + 1) * row[0];
      return x <= last ? row[x] : row[last] + static_cast<unsigned>(x - last) * right;
    };
    for (int x = static_cast<int>(threadIdx.x); x < p.width; x += SCAN_THREADS) {
      const unsigned sum = up_to(x + p.half) - up_to(x - p.half - 1);
      const int pixel = p.src[y * p.src_pitch + x];
      p.dst[y * p.dst_pitch + x] = level(p, pixel, static_cast<int>(sum));
    }
  }
}
