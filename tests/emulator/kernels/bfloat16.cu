// Arithmetic of bfloat16 (CC 8.0 and newer). Below CC 9.0, fma instructions do most of it.
#include <cuda_bf16.h>

extern "C" __global__ void bfloat16_single(const __nv_bfloat16* a, const __nv_bfloat16* b,
                                           __nv_bfloat16* results, float* wide, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const __nv_bfloat16 x = a[i];
  const __nv_bfloat16 y = b[i];
  __nv_bfloat16* const out = results + 4 * i;
  out[0] = __hadd(x, y);
  out[1] = __hmul(x, y);
  out[2] = __hfma(x, y, x);
  out[3] = __float2bfloat16_rn(__bfloat162float(x) - __bfloat162float(y));
  wide[i] = __hlt(x, y) ? __bfloat162float(x) : __bfloat162float(y);
}

extern "C" __global__ void bfloat16_pair(const __nv_bfloat162* a, const __nv_bfloat162* b,
                                         __nv_bfloat162* results, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  results[2 * i] = __hfma2(a[i], b[i], b[i]);
  results[2 * i + 1] = __floats2bfloat162_rn(__low2float(a[i]), __high2float(b[i]));
}
