// slow: each lane looks back through shared memory for the start of its run, within its warp.
// fast: the warp votes where runs start, and a lane finds its own in the bits of the vote.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ bool starts[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  starts[threadIdx.x] = in[i] % 8 == 0;
  __syncwarp();
  int back = 0;
  while (back < lane && !starts[threadIdx.x - back]) ++back;
  out[i] = back;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned starts = __ballot_sync(0xffffffff, in[i] % 8 == 0) | 1;
  const int start = 31 - __clz(starts & ((2U << lane) - 1));
  out[i] = lane - start;
}
