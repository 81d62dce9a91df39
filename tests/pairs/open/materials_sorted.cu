// slow: each lane shades its hit, of one of eight materials, by the code of that material.
// fast: a block brings its hits into the order of their materials first.

__device__ float shade(unsigned hit) {
  float x = static_cast<float>(hit >> 8) * 5e-8F;
  switch (hit & 7) {
    case 0:
      for (int k = 0; k < 24; ++k) x = 0.7F * x * x + 0.2F;
      break;
    case 1:
      for (int k = 0; k < 8; ++k) x = sqrtf(x + 0.5F) - 0.3F;
      break;
    case 2:
      for (int k = 0; k < 8; ++k) x = 1 / (x + 1.5F);
      break;
    case 3:
      for (int k = 0; k < 12; ++k) x = __expf(-x);
      break;
    case 4:
      for (int k = 0; k < 10; ++k) x = 0.5F * __sinf(x) + 0.4F;
      break;
    case 5:
      for (int k = 0; k < 20; ++k) x = fminf(0.9F * x + 0.1F, 1.2F - x);
      break;
    case 6:
      for (int k = 0; k < 8; ++k) x = rsqrtf(x + 1.1F);
      break;
    default:
      for (int k = 0; k < 20; ++k) x = x * (0.8F - 0.3F * x) + 0.1F;
  }
  return x;
}
extern "C" __global__ void slow(float* out, const unsigned* hits) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = shade(hits[i]);
}
extern "C" __global__ void fast(float* out, const unsigned* hits) {
  __shared__ unsigned starts[8];
  __shared__ unsigned sorted[256];
  __shared__ unsigned owners[256];
  const unsigned hit = hits[blockIdx.x * 256 + threadIdx.x];
  if (threadIdx.x < 8) starts[threadIdx.x] = 0;
  __syncthreads();
  const unsigned before = atomicAdd(&starts[hit & 7], 1);
  __syncthreads();
  unsigned place = before;
  for (unsigned k = 0; k < (hit & 7); ++k) place += starts[k];
  sorted[place] = hit;
  owners[place] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 256 + owners[threadIdx.x]] = shade(sorted[threadIdx.x]);
}
