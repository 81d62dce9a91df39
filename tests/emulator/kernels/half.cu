// Arithmetic of single halves and of pairs of halves, and conversions from and to half.
#include <cuda_fp16.h>

extern "C" __global__ void half_single(const __half* a, const __half* b, __half* results,
                                       float* wide, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const __half x = a[i];
  const __half y = b[i];
  __half* const out = results + 8 * i;
  out[0] = __hadd(x, y);
  out[1] = __hsub(x, y);
  out[2] = __hmul(x, y);
  out[3] = __hfma(x, y, x);
  out[4] = __hneg(y);
  out[5] = __habs(x);
  out[6] = __hlt(x, y) ? y : x;
  out[7] = __float2half_rn(__half2float(x) * 3.0f + __half2float(y));
  wide[i] = __half2float(__int2half_rn(__half2int_rz(x))) + __half2float(__float2half_rz(0.1f));
}

extern "C" __global__ void half_pair(const __half2* a, const __half2* b, __half2* results,
                                     int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const __half2 x = a[i];
  const __half2 y = b[i];
  __half2* const out = results + 4 * i;
  out[0] = __hadd2(x, y);
  out[1] = __hfma2(x, y, __floats2half2_rn(0.5f, -1.5f));
  out[2] = __hmul2(__low2half2(x), __high2half2(y));
  out[3] = __lowhigh2highlow(__hgt2(x, y));
}
