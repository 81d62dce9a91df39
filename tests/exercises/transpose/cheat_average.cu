// fails: sectors_per_element
// The slow store shares a line with cheap loads, which lower the line's sectors per request.
__global__ void transpose(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  float none = 0;
  for (int j = 0; j < 32; j += 8) {
    const int y = blockIdx.y * 32 + threadIdx.y + j;
    // clang-format off
    if (x < width && y < height) { float v = in[y * width + x]; for (int k = 0; k < 12; ++k) none += *(volatile const float*)in; out[x * height + y] = v + 0 * none; }
    // clang-format on
  }
}
