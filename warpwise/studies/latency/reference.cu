// Expected result of the kernel, computed by plain loops.
extern "C" __global__ void reference(float* out, const float* in, long long count) {
  for (long long i = blockIdx.x * static_cast<long long>(BLOCK_X) + threadIdx.x;
       i < count && threadIdx.y == 0; i += static_cast<long long>(gridDim.x) * BLOCK_X) {
    float x = LOADS + 1.0F;
    for (int k = 0; k < LOADS; ++k) x = __fadd_rn(x, in[k * count + i]);
#pragma unroll 1
    for (int k = 0; k < OPS; ++k) {
      if (OPERATION == 0) x = __fadd_rn(x, 0.75F);
      if (OPERATION == 1) x = __fmul_rn(x, 1.0009765625F);
      if (OPERATION == 2) x = __fdiv_rn(static_cast<float>(64 + k) / 64, x);
    }
    for (int k = 0; k < STORES; ++k) out[k * count + i] = x;
  }
}
