// slow: a signal is compared with a pattern of 128 values; both are read from global memory.
// fast: a block keeps the pattern and its part of the signal in shared memory.

extern "C" __global__ void slow(float* out, const float* in, const float* pattern) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 128; ++k) sum += in[i + k] * pattern[k];
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, const float* pattern) {
  __shared__ float part[384];
  __shared__ float shape[128];
  const int first = blockIdx.x * 256;
  part[threadIdx.x] = in[first + threadIdx.x];
  if (threadIdx.x < 128) {
    part[256 + threadIdx.x] = in[first + 256 + threadIdx.x];
    shape[threadIdx.x] = pattern[threadIdx.x];
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 128; ++k) sum += part[threadIdx.x + k] * shape[k];
  out[first + threadIdx.x] = sum;
}
