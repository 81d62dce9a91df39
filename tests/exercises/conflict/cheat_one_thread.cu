// fails: instructions_per_element
__global__ void histogram(int* out, const unsigned char* in, int groups) {
  __shared__ int counters[16];
  if (threadIdx.x > 0) return;
  for (int i = 0; i < 16; ++i) counters[i] = 0;
  for (int i = 0; i < 1024; ++i) ++counters[in[blockIdx.x * 1024 + i] / 16];
  for (int i = 0; i < 16; ++i) out[blockIdx.x * 16 + i] = counters[i];
}
