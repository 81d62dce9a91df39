// Idea: a thread loads LOADS floats, adds them, passes the sum through a chain of OPS operations of
//   one kind (each needs the result before it), and stores the result STORES times. Loads and
//   stores are the same for every OPS.
// Expected: while a warp waits for memory, others compute. Few operations therefore cost no time.
//   Once all warps' operations take longer than their accesses, each further one adds equal time.
// Next limit: at first the number of bytes in flight, then memory's bandwidth, and with many
//   operations the rate at which an SM issues instructions.
#include "operation.cuh"

extern "C" __global__ void latency(float* out, const float* in, long long count) {
  const long long thread = threadIdx.y * BLOCK_X + threadIdx.x;
  const long long i = blockIdx.x * static_cast<long long>(BLOCK_X * BLOCK_Y) + thread;
  if (i >= count) return;
  float loaded[LOADS];
#pragma unroll
  for (int k = 0; k < LOADS; ++k) loaded[k] = in[k * count + i];
  // Each of the LOADS inputs is at least -1, so x is at least 1 after their additions.
  float x = LOADS + 1.0F;
#pragma unroll
  for (int k = 0; k < LOADS; ++k) x = __fadd_rn(x, loaded[k]);
#pragma unroll
  for (int k = 0; k < OPS; ++k) x = operation(x, k);
#pragma unroll
  for (int k = 0; k < STORES; ++k) out[k * count + i] = x;
}
