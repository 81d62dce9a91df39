// slow: a thread writes sixteen neighbouring bytes one by one.
// fast: a thread writes them by one store.

extern "C" __global__ void slow(unsigned char* out, unsigned seed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned k = 0; k < 16; ++k) out[16 * thread + k] = (thread + seed + k / 4) & 255;
}
extern "C" __global__ void fast(unsigned char* out, unsigned seed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned words[4];
  for (unsigned k = 0; k < 4; ++k) words[k] = ((thread + seed + k) & 255) * 0x01010101U;
  reinterpret_cast<uint4*>(out)[thread] = make_uint4(words[0], words[1], words[2], words[3]);
}
