// slow: three colours of a pixel are divided by its opacity, as integers.
// fast: they are multiplied by the reciprocal of the opacity, as floats.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned pixel = in[i];
  const unsigned alpha = max(pixel >> 24, 1);
  unsigned result = pixel & 0xFF000000;
#pragma unroll
  for (int shift = 0; shift < 24; shift += 8) {
    result |= min((pixel >> shift & 255) * 255 / alpha, 255) << shift;
  }
  out[i] = result;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned pixel = in[i];
  const float reciprocal = 1 / static_cast<float>(max(pixel >> 24, 1));
  unsigned result = pixel & 0xFF000000;
#pragma unroll
  for (int shift = 0; shift < 24; shift += 8) {
    const float scaled = static_cast<float>((pixel >> shift & 255) * 255) + 0.5F;
    result |= min(static_cast<unsigned>(scaled * reciprocal), 255) << shift;
  }
  out[i] = result;
}
