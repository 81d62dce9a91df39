// slow: the bytes of a word go through double on their way to a float.
// fast: the bytes become floats at once.

template <typename Through>
__device__ void convert(float* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned word = in[i];
  float sum = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const auto value = static_cast<Through>(word >> 8 * byte & 255);
    sum += static_cast<float>(value * Through(0.25)) * sum + 0.5F;
    sum = sum > 1000 ? 1 : sum;
  }
  out[i] = sum;
}
extern "C" __global__ void slow(float* out, const unsigned* in) { convert<double>(out, in); }
extern "C" __global__ void fast(float* out, const unsigned* in) { convert<float>(out, in); }
