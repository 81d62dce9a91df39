// Each thread has one word for each pair of bins. The word holds two counters of 16 bits.
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  __shared__ unsigned counters[8][64];
  const int thread = threadIdx.x;
  for (int k = 0; k < 8; ++k) counters[k][thread] = 0;
  for (int i = thread; i < 1024; i += 64) {
    const int bin = in[blockIdx.x * 1024 + i] / 16;
    counters[bin / 2][thread] += bin % 2 ? 65536 : 1;
  }
  __syncthreads();
  if (thread >= 8) return;
  unsigned sum = 0;
  for (int k = 0; k < 64; ++k) sum += counters[thread][(k + thread) % 64];
  out[blockIdx.x * 16 + 2 * thread] = sum & 65535;
  out[blockIdx.x * 16 + 2 * thread + 1] = sum >> 16;
}
