// slow: each thread takes 32 consecutive values, as a thread of a CPU would.
// fast: neighbouring threads take neighbouring values, in a grid-stride loop of 32 steps.

__device__ float squash(float x) { return x / (1 + fabsf(x)); }
extern "C" __global__ void slow(float* out, const float* in) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 32; ++k) out[thread * 32 + k] = squash(in[thread * 32 + k]);
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int k = 0; k < 32; ++k) out[k * threads + thread] = squash(in[k * threads + thread]);
}
