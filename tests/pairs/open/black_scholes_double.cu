// slow: constants without an f make the prices of options compute in double.
// fast: the constants are floats, and the functions are those of floats.

__device__ float normal_slow(float d) {
  const float k = 1.0 / (1.0 + 0.2316419 * fabs(d));
  const float tail =
      0.39894228 * exp(-0.5 * d * d) *
      (k * (0.31938153 +
            k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
  return d > 0 ? 1.0 - tail : tail;
}
__device__ float normal_fast(float d) {
  const float k = 1.0F / (1.0F + 0.2316419F * fabsf(d));
  const float tail =
      0.39894228F * expf(-0.5F * d * d) *
      (k * (0.31938153F +
            k * (-0.356563782F + k * (1.781477937F + k * (-1.821255978F + k * 1.330274429F)))));
  return d > 0 ? 1.0F - tail : tail;
}
extern "C" __global__ void slow(float* out, const float* prices, const float* strikes, float years,
                                float rate, float sigma) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float price = 30.0 + 10.0 * prices[i];
  const float strike = 30.0 + 10.0 * strikes[i];
  const float root = sigma * sqrt(years);
  const float d1 = (log(price / strike) + (rate + 0.5 * sigma * sigma) * years) / root;
  const float d2 = d1 - root;
  out[i] = price * normal_slow(d1) - strike * exp(-1.0 * rate * years) * normal_slow(d2);
}
extern "C" __global__ void fast(float* out, const float* prices, const float* strikes, float years,
                                float rate, float sigma) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float price = 30.0F + 10.0F * prices[i];
  const float strike = 30.0F + 10.0F * strikes[i];
  const float root = sigma * sqrtf(years);
  const float d1 = (logf(price / strike) + (rate + 0.5F * sigma * sigma) * years) / root;
  const float d2 = d1 - root;
  out[i] = price * normal_fast(d1) - strike * expf(-rate * years) * normal_fast(d2);
}
