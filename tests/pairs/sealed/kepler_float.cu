// slow: six of Newton's steps solve Kepler's equation in double precision.
// fast: they are made in single precision.

extern "C" __global__ void slow(float* out, const float* means, const float* shapes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double mean = 6.2831853 * means[i];
  const double shape = 0.5 * shapes[i];
  double angle = mean;
#pragma unroll 1
  for (int k = 0; k < 6; ++k) {
    angle -= (angle - shape * sin(angle) - mean) / (1 - shape * cos(angle));
  }
  out[i] = static_cast<float>(angle);
}
extern "C" __global__ void fast(float* out, const float* means, const float* shapes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mean = 6.2831853F * means[i];
  const float shape = 0.5F * shapes[i];
  float angle = mean;
#pragma unroll 1
  for (int k = 0; k < 6; ++k) {
    angle -= (angle - shape * sinf(angle) - mean) / (1 - shape * cosf(angle));
  }
  out[i] = angle;
}
