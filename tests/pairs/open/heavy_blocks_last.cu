// slow: the 128 blocks that take sixteen times as long as others are the last of 4224.
// fast: they are the first, so that the others run beside them.

__device__ void work(float* out, const float* in, unsigned block) {
  const unsigned i = block * blockDim.x + threadIdx.x;
  const int steps = block < 128 ? 8192 : 512;
  float x = in[i];
#pragma unroll 8
  for (int k = 0; k < steps; ++k) x = x * 0.9998F + 0.25F;
  out[i] = x;
}
extern "C" __global__ void slow(float* out, const float* in) {
  work(out, in, gridDim.x - 1 - blockIdx.x);
}
extern "C" __global__ void fast(float* out, const float* in) { work(out, in, blockIdx.x); }
