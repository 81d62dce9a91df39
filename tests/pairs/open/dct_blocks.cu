// slow: a block of 64 threads transforms one tile of 8 x 8 pixels.
// fast: a block of 256 threads transforms four tiles that lie side by side.

struct Basis {
  float values[64];
  constexpr Basis() : values{} {
    double c[32] = {1, 0.98078528040323044913};
    for (int k = 2; k < 32; ++k) c[k] = 2 * c[1] * c[k - 1] - c[k - 2];
    for (int u = 0; u < 8; ++u) {
      for (int x = 0; x < 8; ++x) {
        values[u * 8 + x] =
            static_cast<float>(u == 0 ? 0.35355339059327376220 : 0.5 * c[(2 * x + 1) * u % 32]);
      }
    }
  }
};
__device__ const Basis table;

template <int width>
__device__ void transform(float* out, const float* in, int n) {
  __shared__ float basis[8][9];
  __shared__ float tile[8][width];
  __shared__ float half[8][width];
  const int x = blockIdx.x * width + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (threadIdx.x < 8)
    basis[threadIdx.y][threadIdx.x] = table.values[threadIdx.y * 8 + threadIdx.x];
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  const int u = threadIdx.x % 8;
  const int first = threadIdx.x - u;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum = fmaf(tile[threadIdx.y][first + k], basis[u][k], sum);
  half[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum = fmaf(half[k][threadIdx.x], basis[threadIdx.y][k], sum);
  out[y * n + x] = sum;
}
extern "C" __global__ void slow(float* out, const float* in, int n) { transform<8>(out, in, n); }
extern "C" __global__ void fast(float* out, const float* in, int n) { transform<32>(out, in, n); }
