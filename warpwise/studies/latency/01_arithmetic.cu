// Idea: a thread loads LOADS floats, adds them, takes the sum through a chain of OPS operations of
//   one kind (each needs the result before it), and stores the result STORES times. Loads and
//   stores are the same for every OPS.
// Expected: while one warp waits for memory others compute. The time does not change until all
//   warps' operations take longer than their accesses. Each further operation adds the same time.
// Next limit: at first the number of bytes in flight, then memory's bandwidth, and beyond the knee
//   the instructions that an SM issues.
#include "operation.cuh"

extern "C" __global__ void latency(float* out, const float* in, long long count) {
  const long long thread = threadIdx.y * BLOCK_X + threadIdx.x;
  const long long i = blockIdx.x * static_cast<long long>(BLOCK_X * BLOCK_Y) + thread;
  if (i >= count) return;
  float loaded[LOADS];
#pragma unroll
  for (int k = 0; k < LOADS; ++k) loaded[k] = in[k * count + i];
  // The inputs lie from -1 to 1: the sum is at least 1.
  float x = LOADS + 1.0F;
#pragma unroll
  for (int k = 0; k < LOADS; ++k) x = __fadd_rn(x, loaded[k]);
#pragma unroll
  for (int k = 0; k < OPS; ++k) x = operation(x, k);
#pragma unroll
  for (int k = 0; k < STORES; ++k) out[k * count + i] = x;
}
