// slow: a warp adds up three sums of its lanes in shared memory, with a barrier of the block a
// step.
// fast: a warp adds up the three sums by shuffles.

extern "C" __global__ void slow(float* out, const float* a, const float* b) {
  __shared__ float products[256];
  __shared__ float squares_a[256];
  __shared__ float squares_b[256];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int pair = blockIdx.x * 8 + t / 32;
  float product = 0;
  float square_a = 0;
  float square_b = 0;
  for (int k = lane; k < 128; k += 32) {
    const float x = a[pair * 128 + k];
    const float y = b[pair * 128 + k];
    product = fmaf(x, y, product);
    square_a = fmaf(x, x, square_a);
    square_b = fmaf(y, y, square_b);
  }
  products[t] = product;
  squares_a[t] = square_a;
  squares_b[t] = square_b;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (lane < half) {
      products[t] += products[t + half];
      squares_a[t] += squares_a[t + half];
      squares_b[t] += squares_b[t + half];
    }
    __syncthreads();
  }
  if (lane == 0) out[pair] = products[t] * rsqrtf(squares_a[t] * squares_b[t]);
}
extern "C" __global__ void fast(float* out, const float* a, const float* b) {
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int pair = blockIdx.x * 8 + t / 32;
  float product = 0;
  float square_a = 0;
  float square_b = 0;
  for (int k = lane; k < 128; k += 32) {
    const float x = a[pair * 128 + k];
    const float y = b[pair * 128 + k];
    product = fmaf(x, y, product);
    square_a = fmaf(x, x, square_a);
    square_b = fmaf(y, y, square_b);
  }
  for (int half = 16; half > 0; half /= 2) {
    product += __shfl_down_sync(~0U, product, half);
    square_a += __shfl_down_sync(~0U, square_a, half);
    square_b += __shfl_down_sync(~0U, square_b, half);
  }
  if (lane == 0) out[pair] = product * rsqrtf(square_a * square_b);
}
