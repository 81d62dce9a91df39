// slow: 1024 threads hold a cell of a rod each, and wait twice in each step.
// fast: 128 threads hold eight cells each in registers, share the outer ones, and wait once.

constexpr int steps = 128;

__device__ float next(float left, float own, float right) {
  return fmaf(0.25F, left + right - 2.0F * own, own);
}
extern "C" __global__ void slow(float* out, const float* in) {
  __shared__ float cells[1024];
  const int t = threadIdx.x;
  cells[t] = in[blockIdx.x * 1024 + t];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    const float value = next(cells[(t + 1023) % 1024], cells[t], cells[(t + 1) % 1024]);
    __syncthreads();
    cells[t] = value;
    __syncthreads();
  }
  out[blockIdx.x * 1024 + t] = cells[t];
}
extern "C" __global__ void fast(float* out, const float* in) {
  __shared__ float first[2][128];
  __shared__ float last[2][128];
  const int t = threadIdx.x;
  float cells[8];
#pragma unroll
  for (int c = 0; c < 8; ++c) cells[c] = in[blockIdx.x * 1024 + t * 8 + c];
#pragma unroll 2
  for (int k = 0; k < steps; ++k) {
    first[k % 2][t] = cells[0];
    last[k % 2][t] = cells[7];
    __syncthreads();
    float left = last[k % 2][(t + 127) % 128];
    const float right = first[k % 2][(t + 1) % 128];
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const float own = cells[c];
      cells[c] = next(left, own, c < 7 ? cells[c + 1] : right);
      left = own;
    }
  }
#pragma unroll
  for (int c = 0; c < 8; ++c) out[blockIdx.x * 1024 + t * 8 + c] = cells[c];
}
