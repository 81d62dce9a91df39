// slow: a thread multiplies two 4 x 4 matrices, so that its lanes read and write 64 bytes apart.
// fast: a thread makes one element of a product, and neighbouring threads make neighbouring ones.

extern "C" __global__ void slow(float* c, const float* a, const float* b) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
#pragma unroll
  for (int row = 0; row < 4; ++row) {
#pragma unroll
    for (int column = 0; column < 4; ++column) {
      float sum = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k)
        sum = fmaf(a[first + 4 * row + k], b[first + 4 * k + column], sum);
      c[first + 4 * row + column] = sum;
    }
  }
}
extern "C" __global__ void fast(float* c, const float* a, const float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = i % 4;
  const int row = i / 4 % 4;
  const int first = i - i % 16;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) sum = fmaf(a[first + 4 * row + k], b[first + 4 * k + column], sum);
  c[i] = sum;
}
