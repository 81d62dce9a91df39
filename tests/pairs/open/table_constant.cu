// slow: lanes read a table in constant memory at different places, one after the other.
// fast: lanes read a copy of the table in shared memory.

#define FOUR(n) (n) * 7U, (n) * 7U + 3, (n) * 7U + 1, (n) * 7U + 5
#define SIXTEEN(n) FOUR(n), FOUR(n + 1), FOUR(n + 2), FOUR(n + 3)
__constant__ unsigned table[256] = {SIXTEEN(0),  SIXTEEN(4),  SIXTEEN(8),  SIXTEEN(12),
                                    SIXTEEN(16), SIXTEEN(20), SIXTEEN(24), SIXTEEN(28),
                                    SIXTEEN(32), SIXTEEN(36), SIXTEEN(40), SIXTEEN(44),
                                    SIXTEEN(48), SIXTEEN(52), SIXTEEN(56), SIXTEEN(60)};
__device__ unsigned walk(const unsigned* from, unsigned value) {
  for (int k = 0; k < 8; ++k) value = (value >> 4) ^ (from[value & 255] * 2654435761U);
  return value;
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned value = in[i];
  for (int k = 0; k < 8; ++k) value = (value >> 4) ^ (table[value & 255] * 2654435761U);
  out[i] = value;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned copy[256];
  copy[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = walk(copy, in[i]);
}
