// slow: the four pixels of a mean are read one by one.
// fast: the four pixels of a mean are read by two loads.

extern "C" __global__ void slow(float* out, const float* in, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const float* at = in + 2 * y * width + 2 * x;
  out[y * (width / 2) + x] = 0.25F * (at[0] + at[1] + (at[width] + at[width + 1]));
}
extern "C" __global__ void fast(float* out, const float* in, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const float* at = in + 2 * y * width + 2 * x;
  const float2 top = *reinterpret_cast<const float2*>(at);
  const float2 bottom = *reinterpret_cast<const float2*>(at + width);
  out[y * (width / 2) + x] = 0.25F * (top.x + top.y + (bottom.x + bottom.y));
}
