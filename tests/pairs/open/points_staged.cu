// slow: a thread reads the three coordinates of its point.
// fast: a block reads the coordinates of its points in order, by way of shared memory.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float x = in[3 * i];
  const float y = in[3 * i + 1];
  const float z = in[3 * i + 2];
  out[i] = x * x + y * y + z * z;
}
extern "C" __global__ void fast(float* out, const float* in) {
  __shared__ float staged[768];
  const int t = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 3; ++k) staged[k * 256 + t] = in[blockIdx.x * 768 + k * 256 + t];
  __syncthreads();
  const float x = staged[3 * t];
  const float y = staged[3 * t + 1];
  const float z = staged[3 * t + 2];
  out[blockIdx.x * 256 + t] = x * x + y * y + z * z;
}
