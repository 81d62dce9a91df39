// slow: a thread finds its place in a volume by divisions.
// fast: the grid has three dimensions.

__device__ float ramp(float value, unsigned x, unsigned y, unsigned z) {
  return value * (0.5F + static_cast<float>(x + 2 * y + 3 * z));
}
extern "C" __global__ void slow(float* out, const float* in, unsigned width, unsigned height) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = ramp(in[i], i % width, i / width % height, i / width / height);
}
extern "C" __global__ void fast(float* out, const float* in, unsigned width, unsigned height) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned i = (blockIdx.z * height + blockIdx.y) * width + x;
  out[i] = ramp(in[i], x, blockIdx.y, blockIdx.z);
}
