// fails: references_per_element
// The counters lie in global memory, which has no banks.
__device__ int counters[12 * 16 * 64];
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  const int thread = threadIdx.x;
  int* const own = counters + blockIdx.x * 1024;
  for (int bin = 0; bin < 16; ++bin) own[bin * 64 + thread] = 0;
  for (int i = thread; i < 1024; i += 64) own[in[blockIdx.x * 1024 + i] / 16 * 64 + thread] += 1;
  __syncthreads();
  if (thread >= 16) return;
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += own[thread * 64 + k];
  out[blockIdx.x * 16 + thread] = sum;
}
