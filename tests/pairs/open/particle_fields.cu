// slow: particles in shared memory are records of eight floats.
// fast: each of their fields is an array of its own.

constexpr int stride = 260;

__device__ float pull(float dx, float dy, float dz, float mass) {
  return mass * (1.0F - 0.25F * (dx * dx + dy * dy + dz * dz));
}
extern "C" __global__ void slow(float* out, const float* in) {
  __shared__ float records[256 * 8];
  for (int k = threadIdx.x; k < 2048; k += 256) records[k] = in[blockIdx.x * 2048 + k];
  __syncthreads();
  const float* own = &records[threadIdx.x * 8];
  const float x = own[0];
  const float y = own[1];
  const float z = own[2];
  float sum = 0;
#pragma unroll 4
  for (int k = 1; k <= 64; ++k) {
    const float* other = &records[(threadIdx.x + k) % 256 * 8];
    sum += pull(other[0] - x, other[1] - y, other[2] - z, other[6]);
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void fast(float* out, const float* in) {
  __shared__ float fields[8 * stride];
  for (int k = threadIdx.x; k < 2048; k += 256) {
    fields[k % 8 * stride + k / 8] = in[blockIdx.x * 2048 + k];
  }
  __syncthreads();
  const float x = fields[threadIdx.x];
  const float y = fields[stride + threadIdx.x];
  const float z = fields[2 * stride + threadIdx.x];
  float sum = 0;
#pragma unroll 4
  for (int k = 1; k <= 64; ++k) {
    const float* other = &fields[(threadIdx.x + k) % 256];
    sum += pull(other[0] - x, other[stride] - y, other[2 * stride] - z, other[6 * stride]);
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
