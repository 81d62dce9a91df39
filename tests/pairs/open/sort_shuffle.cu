// slow: a bitonic network sorts 32 numbers in shared memory, with barriers of the whole block.
// fast: the lanes of a warp exchange them by shuffles.

__device__ unsigned chosen(unsigned own, unsigned other, int lane, int distance, int length) {
  const bool up = (lane & length) == 0;
  return ((lane & distance) == 0) == up ? min(own, other) : max(own, other);
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned numbers[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned own = in[i];
  for (int length = 2; length <= 32; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      numbers[threadIdx.x] = own;
      __syncthreads();
      own = chosen(own, numbers[threadIdx.x ^ distance], threadIdx.x % 32, distance, length);
      __syncthreads();
    }
  }
  out[i] = own;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned own = in[i];
  for (int length = 2; length <= 32; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      const unsigned other = __shfl_xor_sync(0xffffffff, own, distance);
      own = chosen(own, other, threadIdx.x % 32, distance, length);
    }
  }
  out[i] = own;
}
