// slow: a block asks if any of its values is above a limit by a tree in shared memory.
// fast: a block asks by the barrier that votes.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, unsigned limit) {
  __shared__ unsigned above[256];
  above[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x] > limit;
  for (int distance = 128; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) above[threadIdx.x] |= above[threadIdx.x + distance];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = above[0];
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, unsigned limit) {
  const int any = __syncthreads_or(in[blockIdx.x * 256 + threadIdx.x] > limit);
  if (threadIdx.x == 0) out[blockIdx.x] = any;
}
