// slow: the sixteen weights of a filter lie in global memory.
// fast: the weights lie in constant memory.

#define WEIGHTS {1, 2, 4, 7, 11, 15, 18, 20, 20, 18, 15, 11, 7, 4, 2, 1}
__device__ float global_weights[16] = WEIGHTS;
__constant__ float constant_weights[16] = WEIGHTS;
extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += in[i + k] * global_weights[k];
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += in[i + k] * constant_weights[k];
  out[i] = sum;
}
