// slow: the angles of vectors are computed by atan2f.
// fast: a polynomial of the smaller coordinate divided by the greater is near enough.

__device__ float angle(float y, float x) {
  const float ax = fabsf(x);
  const float ay = fabsf(y);
  const float ratio = __fdividef(fminf(ax, ay), fmaxf(fmaxf(ax, ay), 1e-20F));
  const float square = ratio * ratio;
  float result = fmaf(square, -0.01172120F, 0.05265332F);
  result = fmaf(result, square, -0.11643287F);
  result = fmaf(result, square, 0.19354346F);
  result = fmaf(result, square, -0.33262347F);
  result = fmaf(result, square, 0.99997726F) * ratio;
  if (ay > ax) result = 1.57079633F - result;
  if (x < 0) result = 3.14159265F - result;
  return copysignf(result, y);
}
template <bool exact>
__device__ void turn(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i] - 0.5F;
  float y = in[n + i] - 0.5F;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    sum += fabsf(exact ? atan2f(y, x) : angle(y, x));
    const float turned = fmaf(0.8F, x, -0.6F * y);
    y = fmaf(0.6F, x, 0.8F * y);
    x = turned;
  }
  out[i] = sum;
}
extern "C" __global__ void slow(float* out, const float* in, int n) { turn<true>(out, in, n); }
extern "C" __global__ void fast(float* out, const float* in, int n) { turn<false>(out, in, n); }
