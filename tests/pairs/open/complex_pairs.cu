// slow: products of two spectra; the parts of the complex numbers are loaded and stored one by one.
// fast: a complex number is loaded and stored whole.

__device__ float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
extern "C" __global__ void slow(float* out, const float* a, const float* b) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  const float2 to = product(make_float2(a[i], a[i + 1]), make_float2(b[i], b[i + 1]));
  out[i] = to.x;
  out[i + 1] = to.y;
}
extern "C" __global__ void fast(float* out, const float* a, const float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 left = reinterpret_cast<const float2*>(a)[i];
  const float2 right = reinterpret_cast<const float2*>(b)[i];
  reinterpret_cast<float2*>(out)[i] = product(left, right);
}
