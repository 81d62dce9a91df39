// slow: a warp finds the maximum of its numbers by five shuffles, for eight rows.
// fast: one instruction reduces a number of all lanes.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  for (int row = blockIdx.x * 64 + threadIdx.x / 32; row < (blockIdx.x + 1) * 64; row += 8) {
    unsigned most = in[row * 32 + threadIdx.x % 32];
    for (int lane = 16; lane > 0; lane /= 2) {
      most = max(most, __shfl_xor_sync(0xffffffff, most, lane));
    }
    if (threadIdx.x % 32 == 0) out[row] = most;
  }
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  for (int row = blockIdx.x * 64 + threadIdx.x / 32; row < (blockIdx.x + 1) * 64; row += 8) {
    const unsigned most = __reduce_max_sync(0xffffffff, in[row * 32 + threadIdx.x % 32]);
    if (threadIdx.x % 32 == 0) out[row] = most;
  }
}
