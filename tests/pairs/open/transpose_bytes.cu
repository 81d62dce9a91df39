// slow: a warp stores 32 bytes down a column.
// fast: a tile of bytes in shared memory lets a warp store them along a row.

extern "C" __global__ void slow(unsigned char* out, const unsigned char* in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int k = 0; k < 32; k += 8) {
    const int y = blockIdx.y * 32 + threadIdx.y + k;
    out[x * n + y] = in[y * n + x];
  }
}
extern "C" __global__ void fast(unsigned char* out, const unsigned char* in, int n) {
  __shared__ unsigned char tile[32][36];
  for (int k = threadIdx.y; k < 32; k += 8) {
    tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * n + blockIdx.x * 32 + threadIdx.x];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    out[(blockIdx.x * 32 + k) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][k];
  }
}
