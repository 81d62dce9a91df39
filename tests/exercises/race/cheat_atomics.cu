// fails: checks
// Atomic accesses do not race, but their order is still not defined.
__global__ void relax(int* data, int count, int steps) {
  __shared__ int values[256 + 2];
  const int thread = threadIdx.x;
  const int at = blockIdx.x * 256 + thread;
  if (thread == 0) values[0] = values[257] = 0;
  values[thread + 1] = at < count ? data[at] : 0;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int mean = (atomicAdd(&values[thread], 0) + atomicAdd(&values[thread + 2], 0)) / 2;
    atomicExch(&values[thread + 1], at < count ? mean : 0);
    __syncthreads();
  }
  if (at < count) data[at] = values[thread + 1];
}
