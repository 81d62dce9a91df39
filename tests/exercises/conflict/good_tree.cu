// The 64 counters of a bin lie side by side. All threads add them up in the order of a tree.
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  __shared__ int counters[16][64];
  const int thread = threadIdx.x;
  for (int bin = 0; bin < 16; ++bin) counters[bin][thread] = 0;
  for (int i = thread; i < 1024; i += 64) ++counters[in[blockIdx.x * 1024 + i] / 16][thread];
  for (int distance = 32; distance > 0; distance /= 2) {
    __syncthreads();
    for (int bin = 0; bin < 16; ++bin)
      if (thread < distance) counters[bin][thread] += counters[bin][thread + distance];
  }
  if (thread == 0) {
    for (int bin = 0; bin < 16; ++bin) out[blockIdx.x * 16 + bin] = counters[bin][0];
  }
}
