// Sums blocks of data. Asynchronous copies fill shared memory two blocks ahead (CC 8.0 and newer).
#include <cuda_pipeline.h>

constexpr int block = 64;
constexpr int stages = 3;

extern "C" __global__ void copy_async(const int4* from, int4* to, int steps) {
  __shared__ int4 staged[stages][block];
  const int thread = static_cast<int>(threadIdx.x);
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps) {
      __pipeline_memcpy_async(&staged[step][thread], &from[step * block + thread], sizeof(int4));
    }
    __pipeline_commit();
  }
  int4 sum = make_int4(0, 0, 0, 0);
  for (int step = 0; step < steps; ++step) {
    const int next = step + stages - 1;
    if (next < steps) {
      __pipeline_memcpy_async(&staged[next % stages][thread], &from[next * block + thread],
                              sizeof(int4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(stages - 1);
    __syncthreads();
    // Reads values that a neighbour has copied, so that the barrier is needed.
    const int4 value = staged[step % stages][(thread + 1) % block];
    sum = make_int4(sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w);
    __syncthreads();
  }
  to[thread] = sum;
}
