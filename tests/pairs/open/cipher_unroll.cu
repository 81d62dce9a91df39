// slow: a cipher (XTEA) takes its 32 rounds in a loop.
// fast: the compiler writes out the rounds, so that it knows the sums and the parts of the key.

__constant__ unsigned key[4] = {0x12345678U, 0x9ABCDEF0U, 0x0FEDCBA9U, 0x87654321U};

__device__ void mix(uint2& block, unsigned& sum) {
  block.x += ((block.y << 4 ^ block.y >> 5) + block.y) ^ (sum + key[sum & 3]);
  sum += 0x9E3779B9U;
  block.y += ((block.x << 4 ^ block.x >> 5) + block.x) ^ (sum + key[sum >> 11 & 3]);
}
extern "C" __global__ void slow(uint2* out, const uint2* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint2 block = in[i];
  unsigned sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) mix(block, sum);
  out[i] = block;
}
extern "C" __global__ void fast(uint2* out, const uint2* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint2 block = in[i];
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) mix(block, sum);
  out[i] = block;
}
