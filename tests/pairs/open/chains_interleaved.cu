// slow: a thread follows four chains of links, one after the other.
// fast: a thread follows the four chains side by side.

extern "C" __global__ void slow(unsigned* out, const unsigned* links, unsigned mask) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned ends = 0;
#pragma unroll 1
  for (int chain = 0; chain < 4; ++chain) {
    unsigned at = (thread * 4 + chain) * 2654435761U;
    for (int k = 0; k < 32; ++k) at = links[at & mask];
    ends ^= at;
  }
  out[thread] = ends;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* links, unsigned mask) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at[4];
#pragma unroll
  for (int chain = 0; chain < 4; ++chain) at[chain] = (thread * 4 + chain) * 2654435761U;
  for (int k = 0; k < 32; ++k) {
#pragma unroll
    for (int chain = 0; chain < 4; ++chain) at[chain] = links[at[chain] & mask];
  }
  out[thread] = at[0] ^ at[1] ^ at[2] ^ at[3];
}
