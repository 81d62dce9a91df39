// Each load takes four numbers of a row if the width is a multiple of four.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][33];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const int left = blockIdx.x * 32;
  const int top = blockIdx.y * 32;
  const int row = thread / 8;
  const int column = thread % 8 * 4;
  if (width % 4 == 0 && left + 32 <= width && top + row < height) {
    const float4 four = *reinterpret_cast<const float4*>(&in[(top + row) * width + left + column]);
    tile[row][column] = four.x;
    tile[row][column + 1] = four.y;
    tile[row][column + 2] = four.z;
    tile[row][column + 3] = four.w;
  } else {
    for (int k = 0; k < 4; ++k) {
      if (left + column + k < width && top + row < height)
        tile[row][column + k] = in[(top + row) * width + left + column + k];
    }
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    if (left + j < width && top + threadIdx.x < height)
      out[(left + j) * height + top + threadIdx.x] = tile[threadIdx.x][j];
  }
}
