// slow: each lane's data selects one of four loops, so that the lanes of a warp diverge.
// fast: the data selects two constants of one loop, which all lanes execute together.

extern "C" __global__ void slow(float* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned way = in[i] & 3;
  float x = static_cast<float>(in[i] >> 8);
  if (way == 0) {
#pragma unroll 4
    for (int k = 0; k < 32; ++k) x = 0.5F * x + 1.0F;
  } else if (way == 1) {
#pragma unroll 4
    for (int k = 0; k < 32; ++k) x = 0.25F * x + 2.0F;
  } else if (way == 2) {
#pragma unroll 4
    for (int k = 0; k < 32; ++k) x = 0.75F * x + 3.0F;
  } else {
#pragma unroll 4
    for (int k = 0; k < 32; ++k) x = 0.125F * x + 4.0F;
  }
  out[i] = x;
}
extern "C" __global__ void fast(float* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned way = in[i] & 3;
  float x = static_cast<float>(in[i] >> 8);
  const float a = way == 0 ? 0.5F : way == 1 ? 0.25F : way == 2 ? 0.75F : 0.125F;
  const float b = static_cast<float>(way + 1);
#pragma unroll 4
  for (int k = 0; k < 32; ++k) x = a * x + b;
  out[i] = x;
}
