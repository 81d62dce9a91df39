// slow: a complex matrix is transposed through a tile whose columns share banks.
// fast: the column of each element is changed by an exclusive or with its row.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  __shared__ float2 tile[32][32];
  const float2* from = reinterpret_cast<const float2*>(in);
  float2* to = reinterpret_cast<float2*>(out);
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32; r += 8) {
    tile[r][threadIdx.x] = from[(y + r) * n + x + threadIdx.x];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) {
    const float2 v = tile[threadIdx.x][r];
    to[(x + r) * n + y + threadIdx.x] = make_float2(v.x, -v.y);
  }
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  __shared__ float2 tile[32][32];
  const float2* from = reinterpret_cast<const float2*>(in);
  float2* to = reinterpret_cast<float2*>(out);
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32; r += 8) {
    tile[r][threadIdx.x ^ r] = from[(y + r) * n + x + threadIdx.x];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) {
    const float2 v = tile[threadIdx.x][r ^ threadIdx.x];
    to[(x + r) * n + y + threadIdx.x] = make_float2(v.x, -v.y);
  }
}
