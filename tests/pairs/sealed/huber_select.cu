// slow: a loss has a branch: small differences are squared, great ones are not.
// fast: a minimum takes the place of the branch.

extern "C" __global__ void slow(float* out, const float* a, const float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float d = fabsf(a[i] - b[i]);
  if (d < 0.25F) {
    out[i] = 0.5F * d * d;
  } else {
    out[i] = 0.25F * (d - 0.125F);
  }
}
extern "C" __global__ void fast(float* out, const float* a, const float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float d = fabsf(a[i] - b[i]);
  const float m = fminf(d, 0.25F);
  out[i] = m * (d - 0.5F * m);
}
