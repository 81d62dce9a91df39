// slow: values below a limit are damped, by a branch.
// fast: values are damped without a branch, by products with the two outcomes of the comparison.

extern "C" __global__ void slow(float* out, const float* in, float limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  if (x < limit) {
    out[i] = 0.01F * x;
  } else {
    out[i] = x;
  }
}
extern "C" __global__ void fast(float* out, const float* in, float limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  const float below = static_cast<float>(x < limit);
  out[i] = below * (0.01F * x) + (1 - below) * x;
}
