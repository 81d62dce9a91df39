// slow: each pixel of a row that is stretched computes the six weights of its column.
// fast: a thread computes the weights once for 16 rows.

__device__ float weight(float d) {
  if (fabsf(d) < 1e-4F) return 1;
  return sinpif(d) * sinpif(d / 3) / (3.2898681F * d * d);
}
template <int ROWS>
__device__ void stretch(float* out, const float* in, float ratio) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const float position = static_cast<float>(x) * ratio + 3.25F;
  const int base = static_cast<int>(position);
  float weights[6];
#pragma unroll
  for (int k = 0; k < 6; ++k) weights[k] = weight(position - static_cast<float>(base + k - 2));
#pragma unroll 1
  for (int r = 0; r < ROWS; ++r) {
    const int y = blockIdx.y * ROWS + r;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 6; ++k) sum += weights[k] * in[y * 1032 + base + k - 2];
    out[y * 2048 + x] = sum;
  }
}
extern "C" __global__ void slow(float* out, const float* in, float ratio) {
  stretch<1>(out, in, ratio);
}
extern "C" __global__ void fast(float* out, const float* in, float ratio) {
  stretch<16>(out, in, ratio);
}
