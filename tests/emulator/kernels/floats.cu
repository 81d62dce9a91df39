// Functions of floats and doubles: rounding modes, approximations, classifications, conversions.
extern "C" __global__ void float_functions(const float* a, const float* b, float* results,
                                           int* integers, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float x = a[i];
  const float y = b[i];
  float* const out = results + 22 * i;
  out[0] = __fadd_rz(x, y);
  out[1] = __fmul_ru(x, y);
  out[2] = __fmaf_rd(x, y, 1.5f);
  out[3] = __fdiv_rn(x, y);
  out[4] = __fsqrt_rn(fabsf(x));
  out[5] = __frcp_rn(y);
  out[6] = fminf(x, y);
  out[7] = floorf(x) + ceilf(y) + truncf(x) + rintf(y);
  out[8] = copysignf(x, y);
  out[9] = __saturatef(x);
  out[10] = sinf(x);
  out[11] = expf(y);
  out[12] = logf(fabsf(x));
  out[13] = powf(fabsf(x), y);
  out[14] = fmodf(x, y);
  out[15] = x / y;
  out[16] = __uint2float_rz(static_cast<unsigned>(i) * 16777619u);
  out[17] = __ll2float_rn(static_cast<long long>(i) << 40 | 1);
  out[18] = static_cast<float>(static_cast<unsigned char>(i));
  out[19] = hypotf(x, y);
  out[20] = atan2f(x, y);
  out[21] = static_cast<float>(tanh(static_cast<double>(x)));
  integers[4 * i] = __float2int_rn(x);
  integers[4 * i + 1] = static_cast<int>(__float2uint_rz(y));
  integers[4 * i + 2] = (isnan(x) ? 1 : 0) | (isinf(y) ? 2 : 0) | (signbit(x) ? 4 : 0);
  integers[4 * i + 3] = __float_as_int(x) ^ static_cast<int>(__float2ll_rd(y));
}

extern "C" __global__ void float_approximations(const float* a, float* results, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float x = a[i];
  float* const out = results + 8 * i;
  out[0] = __sinf(x);
  out[1] = __cosf(x);
  out[2] = __expf(x);
  out[3] = __logf(x);
  out[4] = __fdividef(x, 3.0f);
  out[5] = rsqrtf(x);
  out[6] = exp2f(x);
  out[7] = __powf(x, 1.5f);
}

extern "C" __global__ void double_functions(const double* a, const double* b, double* results,
                                            long long* integers, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const double x = a[i];
  const double y = b[i];
  double* const out = results + 8 * i;
  out[0] = __dadd_rd(x, y);
  out[1] = fma(x, y, 0.25);
  out[2] = x / y;
  out[3] = sqrt(fabs(x));
  out[4] = fmax(x, y) - fmin(x, y);
  out[5] = exp(x);
  out[6] = static_cast<float>(x);
  out[7] = static_cast<double>(integers[i]);
  integers[i] = __double2ll_rn(x) + __double2loint(y) + __double2hiint(y);
}
