// Expected result of the kernels: the last word of a row after its rounds.
extern "C" __global__ void reference(unsigned* out, const unsigned* in, cudaTextureObject_t,
                                     int count, int rounds) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= count) return;
  unsigned words[LIVE];
  for (int k = 0; k < LIVE; ++k) words[k] = in[i * LIVE + k];
  unsigned last = i;
  for (int step = 0; step < rounds * LIVE; ++step) {
    last = (words[step % LIVE] ^ last) * 1664525U + 1013904223U;
    words[step % LIVE] = last;
  }
  out[i] = last;
}
