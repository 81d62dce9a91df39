// slow: for each sample, points are drawn until one lies in the disc.
// fast: one loop draws for all samples, so that lanes wait once.

__device__ float draw(unsigned& state) {
  state = state * 1664525 + 1013904223;
  return static_cast<float>(state >> 8) * 5.9604645e-8F;
}
extern "C" __global__ void slow(float* out, const unsigned* seeds, int samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = seeds[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < samples; ++k) {
    float x;
    float y;
    do {
      x = draw(state);
      y = draw(state);
    } while (x * x + y * y > 0.25F);
    sum += x + y;
  }
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const unsigned* seeds, int samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = seeds[i];
  float sum = 0;
  int taken = 0;
#pragma unroll 1
  while (taken < samples) {
    const float x = draw(state);
    const float y = draw(state);
    if (x * x + y * y <= 0.25F) {
      sum += x + y;
      ++taken;
    }
  }
  out[i] = sum;
}
