// slow: an oscillator takes steps, each from the last, in a loop that is not unrolled.
// fast: the loop is unrolled by 16.

extern "C" __global__ void slow(float* out, const float* in, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float place = in[i];
  float speed = 0.5F;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    speed -= 0.01F * place;
    place += 0.01F * speed;
  }
  out[i] = place;
}
extern "C" __global__ void fast(float* out, const float* in, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float place = in[i];
  float speed = 0.5F;
#pragma unroll 16
  for (int k = 0; k < steps; ++k) {
    speed -= 0.01F * place;
    place += 0.01F * speed;
  }
  out[i] = place;
}
