// slow: each thread reads the four numbers of every body one by one from global memory.
// fast: a block reads 256 bodies at a time into shared memory, and threads read four numbers at
// once.

__device__ float pull(float x, float y, float z, const float* body) {
  const float dx = body[0] - x;
  const float dy = body[1] - y;
  const float dz = body[2] - z;
  const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01F);
  return body[3] * dx * inverse * inverse * inverse;
}
extern "C" __global__ void slow(float* out, const float* bodies, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = 0;
  for (int k = 0; k < n; ++k) {
    out[i] += pull(bodies[4 * i], bodies[4 * i + 1], bodies[4 * i + 2], &bodies[4 * k]);
  }
}
extern "C" __global__ void fast(float* out, const float* bodies, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 own = reinterpret_cast<const float4*>(bodies)[i];
  float sum = 0;
  for (int first = 0; first < n; first += 256) {
    tile[threadIdx.x] = reinterpret_cast<const float4*>(bodies)[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; ++k) {
      const float4 body = tile[k];
      const float numbers[4] = {body.x, body.y, body.z, body.w};
      sum += pull(own.x, own.y, own.z, numbers);
    }
    __syncthreads();
  }
  out[i] = sum;
}
