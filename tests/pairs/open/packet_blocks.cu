// slow: blocks of 1024 threads keep their place until their longest warp is done.
// fast: the same warps are in blocks of 64 threads.

__device__ void walk(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned packet = i / 32 * 2654435761U;
  const int steps = packet >> 28 == 0 ? 2048 : 32;
  float x = in[i];
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    x = fmaf(x, 0.75F, 0.125F);
    x = fmaf(x, -0.5F, 0.5F);
  }
  out[i] = x;
}
extern "C" __global__ void slow(float* out, const float* in) { walk(out, in); }
extern "C" __global__ void fast(float* out, const float* in) { walk(out, in); }
