// slow: the columns of the tile lie in one bank each.
// fast: a word of padding behind each row spreads a column over all banks.

template <int padding>
__device__ void transpose(float* out, const float* in, int width) {
  __shared__ float tile[32][32 + padding];
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 32;
  for (int row = threadIdx.y; row < 32; row += 8) {
    tile[row][threadIdx.x] = in[(y + row) * width + x + threadIdx.x];
  }
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8) {
    out[(x + row) * width + y + threadIdx.x] = tile[threadIdx.x][row];
  }
}
extern "C" __global__ void slow(float* out, const float* in, int width) {
  transpose<0>(out, in, width);
}
extern "C" __global__ void fast(float* out, const float* in, int width) {
  transpose<1>(out, in, width);
}
