// slow: each lane filters along a row of its own, from global memory.
// fast: the rows are read from a texture.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) value = 0.9F * value + in[y * n + blockIdx.y * 64 + k];
  out[blockIdx.y * n + y] = value;
}
extern "C" __global__ void fast(float* out, cudaTextureObject_t in, int n) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = static_cast<float>(blockIdx.y * 64) + 0.5F;
  float value = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    value = 0.9F * value +
            tex2D<float>(in, first + static_cast<float>(k), static_cast<float>(y) + 0.5F);
  }
  out[blockIdx.y * n + y] = value;
}
