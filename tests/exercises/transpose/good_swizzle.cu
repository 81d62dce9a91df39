// In place of padding, the columns of each row are permuted: their index is XORed with the row's.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32 * 32];
  const int lane = threadIdx.x;
  const int left = blockIdx.x * 32;
  const int top = blockIdx.y * 32;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int row = threadIdx.y * 4 + k;
    if (left + lane < width && top + row < height)
      tile[row * 32 + (lane ^ row)] = in[(top + row) * width + left + lane];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int column = threadIdx.y * 4 + k;
    if (left + column < width && top + lane < height)
      out[(left + column) * height + top + lane] = tile[lane * 32 + (column ^ lane)];
  }
}
