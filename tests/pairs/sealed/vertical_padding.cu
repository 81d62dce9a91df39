// slow: nine values of a column are weighted from a tile whose rows have 32 values.
// fast: the rows of the tile are padded to 33 values.

template <int PITCH>
__device__ void filter(float* out, const float* in, int width) {
  __shared__ float tile[72][PITCH];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 64;
  for (int r = threadIdx.y; r < 72; r += 8) tile[r][threadIdx.x] = in[(y + r) * width + x];
  __syncthreads();
  for (int r = threadIdx.y; r < 64; r += 8) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      sum += static_cast<float>(k < 5 ? k + 1 : 9 - k) * tile[r + k][threadIdx.x];
    }
    out[(y + r) * width + x] = 0.04F * sum;
  }
}
extern "C" __global__ void slow(float* out, const float* in, int width) {
  filter<32>(out, in, width);
}
extern "C" __global__ void fast(float* out, const float* in, int width) {
  filter<33>(out, in, width);
}
