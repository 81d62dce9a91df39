// slow: distances on a globe; constants and functions are of type double.
// fast: constants and functions are of type float.

extern "C" __global__ void slow(float* out, const float* from, const float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double latitude = (from[i] - 0.5) * 3.14159265358979;
  const double other = (to[i] - 0.5) * 3.14159265358979;
  const double across = sin((to[n + i] - from[n + i]) * 3.14159265358979);
  const double along = sin((other - latitude) * 0.5);
  const double half = along * along + cos(latitude) * cos(other) * across * across;
  out[i] = static_cast<float>(2.0 * 6371.0 * asin(sqrt(fmin(half, 1.0))));
}
extern "C" __global__ void fast(float* out, const float* from, const float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float latitude = (from[i] - 0.5F) * 3.14159265F;
  const float other = (to[i] - 0.5F) * 3.14159265F;
  const float across = sinf((to[n + i] - from[n + i]) * 3.14159265F);
  const float along = sinf((other - latitude) * 0.5F);
  const float half = along * along + cosf(latitude) * cosf(other) * across * across;
  out[i] = 2.0F * 6371.0F * asinf(sqrtf(fminf(half, 1.0F)));
}
