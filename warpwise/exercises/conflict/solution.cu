// Counts, for each group of 1024 values, how many lie in each of 16 bins. A thread has 16 counters
// of its own; the first 16 threads add them up.
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  // All 16 counters of a thread lie in bank thread % 32.
  __shared__ int counters[16 * 64];
  const int thread = threadIdx.x;
  for (int bin = 0; bin < 16; ++bin) counters[bin * 64 + thread] = 0;
  for (int i = thread; i < 1024; i += 64) {
    const int bin = in[blockIdx.x * 1024 + i] / 16;
    counters[bin * 64 + thread] += 1;
  }
  __syncthreads();
  if (thread >= 16) return;
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += counters[thread * 64 + (k + thread) % 64];
  out[blockIdx.x * 16 + thread] = sum;
}
