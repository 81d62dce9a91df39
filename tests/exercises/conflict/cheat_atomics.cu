// fails: atomic_requests
// All threads add to the same 16 counters by atomics, and wait for one another.
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  __shared__ int counters[16];
  if (threadIdx.x < 16) counters[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 64)
    atomicAdd(&counters[in[blockIdx.x * 1024 + i] / 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = counters[threadIdx.x];
}
