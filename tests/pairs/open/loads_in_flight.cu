// slow: each of a few threads has one load under way at a time.
// fast: each thread has ten loads under way before it adds.

extern "C" __global__ void slow(float* out, const float* in, int stride) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 1000; ++k) sum += in[k * stride + thread];
  out[thread] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, int stride) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 1000; k += 10) {
    float values[10];
#pragma unroll
    for (int j = 0; j < 10; ++j) values[j] = in[(k + j) * stride + thread];
#pragma unroll
    for (int j = 0; j < 10; ++j) sum += values[j];
  }
  out[thread] = sum;
}
