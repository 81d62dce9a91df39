// Idea: column sums and rows in one kernel, without scratch memory. A block takes COLUMNS pixels of
//   a row, with the halo's columns on both sides, and goes down SEGMENT rows. Its threads slide the
//   columns' sums over some rows into shared memory. Then each warp takes one of these rows and
//   turns it into prefix sums: a window's sum is the difference of two of them.
// Expected: each pixel is read when it enters the columns' windows and when it leaves them, mostly
//   from a cache. Only the result is written. All loads of a step are issued
//   before the first is used. Lanes sum stretches of odd length, which avoids bank conflicts.
// Next limit: two blocks slide each of the halo's columns, and every SEGMENT rows a column's first
//   sum is computed anew. For windows far beyond SEGMENT rows, these first sums are most of the
//   work.
#include "problem.hpp"

using warpwise::ladders::clamped;

constexpr int warps = BLOCK_X / 32;

extern __shared__ int shared[];

/// Turns count numbers into their inclusive prefix sums. Called by a whole warp.
__device__ void scan(int* numbers, int count) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int stretch = ((count + 31) / 32) | 1;  // odd
  const int first = min(lane * stretch, count);
  const int end = min(first + stretch, count);
  int own = 0;
  for (int i = first; i < end; ++i) own += numbers[i];
  int before = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int lower = __shfl_up_sync(0xffffffffU, before, distance);
    if (lane >= distance) before += lower;
  }
  before -= own;
  for (int i = first; i < end; ++i) numbers[i] = before += numbers[i];
  __syncwarp();
}

// At most 64 registers, so that 32 warps fit an SM. More loads in flight would take more registers.
extern "C" __global__ void __launch_bounds__(BLOCK_X, 1024 / BLOCK_X)
    threshold(warpwise::ladders::ThresholdProblem p) {
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int columns = COLUMNS + 2 * p.half;
  // Row r of the prefix sums starts with a zero: the sum of no column.
  int* const sums = shared;
  int* const rows = shared + columns;
  const int row_length = columns + 1;
  // Wide windows leave room for fewer rows. With the largest window, SHARED_BYTES holds one row.
  const int rows_at_once = min(warps, (SHARED_BYTES / 4 - columns) / row_length);
  const int left = static_cast<int>(blockIdx.x) * COLUMNS;
  const int right = min(left + COLUMNS, p.width);

  for (int top = static_cast<int>(blockIdx.y) * SEGMENT; top < p.height;
       top += static_cast<int>(gridDim.y) * SEGMENT) {
    const int bottom = min(top + SEGMENT, p.height);
    for (int c = thread; c < columns; c += BLOCK_X) {
      const unsigned char* const column = p.src + clamped(left - p.half + c, p.width);
      int sum = 0;
      for (int j = top - p.half; j <= top + p.half; ++j) {
        sum += column[clamped(j, p.height) * p.src_pitch];
      }
      sums[c] = sum;  // read by this thread only
    }
    for (int first = top; first < bottom; first += rows_at_once) {
      for (int c = thread; c < columns; c += BLOCK_X) {
        const unsigned char* const column = p.src + clamped(left - p.half + c, p.width);
        int change[warps];
#pragma unroll
        for (int r = 0; r < warps; ++r) {
          const int y = first + r;
          change[r] = column[clamped(y + p.half + 1, p.height) * p.src_pitch] -
                      column[clamped(y - p.half, p.height) * p.src_pitch];
        }
        int sum = sums[c];
#pragma unroll
        for (int r = 0; r < warps; ++r) {
          if (r >= rows_at_once) break;
          rows[r * row_length + 1 + c] = sum;
          sum += change[r];
        }
        sums[c] = sum;
      }
      __syncthreads();
      const long long y = first + warp;
      if (warp < rows_at_once && y < bottom) {
        const int lane = thread % 32;
        int pixel[COLUMNS / 32];
#pragma unroll
        for (int i = 0; i < COLUMNS / 32; ++i) {
          pixel[i] = p.src[y * p.src_pitch + min(left + 32 * i + lane, right - 1)];
        }
        int* const prefix = rows + warp * row_length;
        if (lane == 0) prefix[0] = 0;
        scan(prefix + 1, columns);
#pragma unroll
        for (int i = 0; i < COLUMNS / 32; ++i) {
          const int x = 32 * i + lane;
          if (left + x >= right) break;
          const int sum = prefix[x + 2 * p.half + 1] - prefix[x];
          p.dst[y * p.dst_pitch + left + x] = warpwise::ladders::level(p, pixel[i], sum);
        }
      }
      __syncthreads();  // waits before the next rows overwrite the sums
    }
  }
}
