// slow: the logarithms, sines, cosines and exponentials of a simulation are those of the library.
// fast: they are those of the special function unit.

__device__ unsigned advance(unsigned& state) {
  state = state * 1664525U + 1013904223U;
  return (state ^ state >> 16) >> 8;
}
extern "C" __global__ void slow(float* out, const unsigned* seeds, float price, float strike) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = seeds[i];
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    const float u = static_cast<float>(advance(state) + 1) * 5.9604645e-8F;
    const float angle = static_cast<float>(advance(state)) * 3.7450703e-7F;
    const float radius = sqrtf(-2.0F * logf(u));
    sum += fmaxf(price * expf(0.3F * radius * cosf(angle) - 0.025F) - strike, 0.0F);
    sum += fmaxf(price * expf(0.3F * radius * sinf(angle) - 0.025F) - strike, 0.0F);
  }
  out[i] = sum / 128;
}
extern "C" __global__ void fast(float* out, const unsigned* seeds, float price, float strike) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = seeds[i];
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    const float u = static_cast<float>(advance(state) + 1) * 5.9604645e-8F;
    const float angle = static_cast<float>(advance(state)) * 3.7450703e-7F;
    const float radius = sqrtf(fmaxf(-2.0F * __logf(u), 0.0F));
    sum += fmaxf(price * __expf(0.3F * radius * __cosf(angle) - 0.025F) - strike, 0.0F);
    sum += fmaxf(price * __expf(0.3F * radius * __sinf(angle) - 0.025F) - strike, 0.0F);
  }
  out[i] = sum / 128;
}
