// slow: nine pixels are sorted by insertion into an array, which lies in local memory.
// fast: 19 exchanges of fixed pairs find their median in registers.

__device__ void exchange(float& a, float& b) {
  const float least = fminf(a, b);
  b = fmaxf(a, b);
  a = least;
}
extern "C" __global__ void slow(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return;
  float sorted[9];
#pragma unroll 1
  for (int count = 0; count < 9; ++count) {
    const float pixel = in[(y - 1 + count / 3) * width + x - 1 + count % 3];
    int at = count;
    for (; at > 0 && sorted[at - 1] > pixel; --at) sorted[at] = sorted[at - 1];
    sorted[at] = pixel;
  }
  out[y * width + x] = sorted[4];
}
extern "C" __global__ void fast(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return;
  float p[9];
  for (int k = 0; k < 9; ++k) p[k] = in[(y - 1 + k / 3) * width + x - 1 + k % 3];
  constexpr int pairs[19][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2},
                                {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
                                {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma unroll
  for (int k = 0; k < 19; ++k) exchange(p[pairs[k][0]], p[pairs[k][1]]);
  out[y * width + x] = p[4];
}
