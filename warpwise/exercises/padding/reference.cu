__global__ void transpose(float* out, const float* in, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width * height) out[i] = in[i % height * width + i / height];
}
