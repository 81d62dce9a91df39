// slow: each thread that finds a number adds one to a counter, whose old value it wants.
// fast: a warp adds what its lanes have found.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 2 == 0 && atomicAdd(out, 1) > 0x80000000U) out[0] = 0;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned found = __ballot_sync(0xffffffff, i < n && in[i] % 2 == 0);
  if (threadIdx.x % 32 == 0 && found != 0 && atomicAdd(out, __popc(found)) > 0x80000000U) {
    out[0] = 0;
  }
}
