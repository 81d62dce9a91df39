// fails: references_per_element
// One warp does all the work. The other warps only load the first number, and do not use it.
__global__ void block_sums(int* out, const int* in, int count) {
  const int lane = threadIdx.x;
  int sum = 0;
  if (lane >= 32) {
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += *(volatile const int*)in;
    return;
  }
#pragma unroll
  for (int i = 0; i < 1024; i += 32) {
    const int at = blockIdx.x * 1024 + i + lane;
    if (at < count) sum += in[at];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) out[blockIdx.x] = sum;
}
