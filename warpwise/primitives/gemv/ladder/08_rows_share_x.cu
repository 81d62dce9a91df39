// Idea: a warp takes ROWS rows at once; a load of x serves all of them.
// Expected: x is loaded once for ROWS rows, and ROWS loads of A are in flight for each lane at the
//   same time. The sums take ROWS registers, and each load in flight takes four.
// Next limit: the memory's bandwidth. With few rows it is the number of warps, which is ROWS times
//   smaller than before.
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
  const long long warp = static_cast<long long>(blockIdx.x) * (BLOCK_X / 32) + threadIdx.x / 32;
  const long long stride = static_cast<long long>(gridDim.x) * (BLOCK_X / 32) * ROWS;
  for (long long first = warp * ROWS; first < p.rows; first += stride) {
    const float* a[ROWS];
    float sum[ROWS];
    unsigned long long addresses = reinterpret_cast<unsigned long long>(p.x);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      // Rows beyond the last one repeat it; they are summed but not stored.
      a[r] = p.a + (first + r < p.rows ? first + r : p.rows - 1) * p.pitch;
      addresses |= reinterpret_cast<unsigned long long>(a[r]);
      sum[r] = 0;
    }
    const long long vectors = addresses % sizeof(float4) == 0 ? p.columns / 4 : 0;
    for (long long i = lane; i < vectors; i += 32) {
      const float4 x = reinterpret_cast<const float4*>(p.x)[i];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const float4 four = reinterpret_cast<const float4*>(a[r])[i];
        sum[r] += four.x * x.x + four.y * x.y + four.z * x.z + four.w * x.w;
      }
    }
    for (long long column = 4 * vectors + lane; column < p.columns; column += 32) {
      const float x = p.x[column];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) sum[r] += a[r][column] * x;
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      sum[r] = sum_of_warp(sum[r]);
      if (lane == 0 && first + r < p.rows) p.y[first + r] = sum[r];
    }
  }
}
