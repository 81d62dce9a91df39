// slow: 256 rounds exchange neighbours until a block's 256 keys are sorted.
// fast: a bitonic network needs 36 rounds.

__device__ void exchange(unsigned* keys, int low, int high, bool upward) {
  const unsigned a = keys[low];
  const unsigned b = keys[high];
  if (upward ? a > b : a < b) {
    keys[low] = b;
    keys[high] = a;
  }
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned keys[256];
  const int i = threadIdx.x;
  keys[i] = in[blockIdx.x * 256 + i];
  for (int round = 0; round < 256; ++round) {
    __syncthreads();
    if (i % 2 == round % 2 && i < 255) exchange(keys, i, i + 1, true);
  }
  __syncthreads();
  out[blockIdx.x * 256 + i] = keys[i];
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned keys[256];
  const int i = threadIdx.x;
  keys[i] = in[blockIdx.x * 256 + i];
  for (int size = 2; size <= 256; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      if ((i & distance) == 0) exchange(keys, i, i + distance, (i & size) == 0);
    }
  }
  __syncthreads();
  out[blockIdx.x * 256 + i] = keys[i];
}
