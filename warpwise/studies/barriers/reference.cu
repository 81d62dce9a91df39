// Expected result by plain loops. The product does not depend on the values, so it comes first.
extern "C" __global__ void reference(float* out, const float* in, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK_X;
  const int thread = threadIdx.x;
  if (first + thread >= count) return;
  float x = 1.0F + thread;
#pragma unroll 1
  for (int k = 0; k < ACCESSES * OPS; ++k) x = __fmul_rn(x, 1.0009765625F);
  const long long from = first + thread / 32 * 32 + (31 - thread % 32);
  float sum = 0;
  for (int access = 0; access < ACCESSES; ++access) {
    // A word beyond the end counts as 0, as in the kernel.
    sum = __fadd_rn(sum, from < count ? in[access * count + from] : 0.0F);
  }
  out[first + thread] = __fadd_rn(sum, x);
}
