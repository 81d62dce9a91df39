// Reads linear textures by index, and two-dimensional textures by coordinates.
extern "C" __global__ void texture_linear(cudaTextureObject_t texture, float* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = tex1Dfetch<float>(texture, i) + 1.0f;
}

extern "C" __global__ void texture_2d(cudaTextureObject_t texture, float* to, int width, int height,
                                      float scale) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  to[y * width + x] = tex2D<float>(texture, (static_cast<float>(x) + 0.5f) * scale,
                                   (static_cast<float>(y) + 0.5f) * scale);
}

extern "C" __global__ void texture_2d_bytes(cudaTextureObject_t texture, uchar4* to, int width,
                                            int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  to[y * width + x] = tex2D<uchar4>(texture, static_cast<float>(x), static_cast<float>(y));
}
