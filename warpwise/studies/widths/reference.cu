// Expected result: a copy or, if STATE is defined, each element after its rounds.
extern "C" __global__ void reference(unsigned* out, const unsigned* in, long long bytes) {
  const long long count = bytes / 4;
  const long long threads = static_cast<long long>(gridDim.x) * BLOCK_X;
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x; i < count;
       i += threads) {
    unsigned element = in[i];
#ifdef STATE
    unsigned state[STATE];
    for (int k = 0; k < STATE; ++k) state[k] = in[i] ^ (k * 0x9e3779b9U);
    for (int step = 0; step < ROUNDS * STATE; ++step) {
      element = (state[step % STATE] ^ element) * 1664525U + 1013904223U;
      state[step % STATE] = element;
    }
#endif
    out[i] = element;
  }
}
