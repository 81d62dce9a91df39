// Idea: a lane loads four columns at once, as float4, if the row and x are aligned to 16 bytes.
// Expected: a quarter of the loads and of the loop's instructions, and four times the bytes in
//   flight for each warp.
// Next limit: loads of x: for each 16 bytes of A, 16 bytes of x come from the first-level cache.
#include "problem.hpp"

__device__ float sum_of_warp(float sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  }
  return sum;
}

extern "C" __global__ void gemv(warpwise::ladders::GemvProblem p) {
  static_assert(BLOCK_X % 32 == 0, "whole warps");
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long stride = static_cast<long long>(gridDim.x) * (BLOCK_X / 32);
  for (long long row = static_cast<long long>(blockIdx.x) * (BLOCK_X / 32) + threadIdx.x / 32;
       row < p.rows; row += stride) {
    const float* const a = p.a + row * p.pitch;
    const unsigned long long addresses =
        reinterpret_cast<unsigned long long>(a) | reinterpret_cast<unsigned long long>(p.x);
    const long long vectors = addresses % sizeof(float4) == 0 ? p.columns / 4 : 0;
    float sum = 0;
    for (long long i = lane; i < vectors; i += 32) {
      const float4 four = reinterpret_cast<const float4*>(a)[i];
      const float4 x = reinterpret_cast<const float4*>(p.x)[i];
      sum += four.x * x.x + four.y * x.y + four.z * x.z + four.w * x.w;
    }
    // Columns that no vector holds: the last columns % 4, or all if the addresses are not aligned.
    for (long long column = 4 * vectors + lane; column < p.columns; column += 32) {
      sum += a[column] * p.x[column];
    }
    sum = sum_of_warp(sum);
    if (lane == 0) p.y[row] = sum;
  }
}
