// slow: the best of 16 shifts of a window of 7 x 7 is found from bytes in global memory.
// fast: the bytes of both images are staged in shared memory.

__device__ unsigned best(const unsigned char* left, int left_pitch, const unsigned char* right,
                         int right_pitch) {
  unsigned least = 0xFFFFFFFF;
#pragma unroll 1
  for (int shift = 0; shift < 16; ++shift) {
    unsigned sum = 0;
#pragma unroll
    for (int dy = 0; dy < 7; ++dy) {
#pragma unroll
      for (int dx = 0; dx < 7; ++dx) {
        const int a = left[dy * left_pitch + dx];
        const int b = right[dy * right_pitch + dx + shift];
        sum += abs(a - b);
      }
    }
    least = min(least, sum * 16 + shift);
  }
  return least;
}
extern "C" __global__ void slow(unsigned* out, const unsigned char* left,
                                const unsigned char* right) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  out[y * 1024 + x] = best(&left[y * 1056 + x], 1056, &right[y * 1056 + x], 1056);
}
extern "C" __global__ void fast(unsigned* out, const unsigned char* left,
                                const unsigned char* right) {
  __shared__ unsigned char tile_left[14 * 40];
  __shared__ unsigned char tile_right[14 * 56];
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 8;
  const int t = threadIdx.y * 32 + threadIdx.x;
  for (int k = t; k < 14 * 40; k += 256) tile_left[k] = left[(y + k / 40) * 1056 + x + k % 40];
  for (int k = t; k < 14 * 56; k += 256) tile_right[k] = right[(y + k / 56) * 1056 + x + k % 56];
  __syncthreads();
  out[(y + threadIdx.y) * 1024 + x + threadIdx.x] =
      best(&tile_left[threadIdx.y * 40 + threadIdx.x], 40,
           &tile_right[threadIdx.y * 56 + threadIdx.x], 56);
}
