// slow: the nine densities of a lattice cell lie together; lanes read with a stride of nine.
// fast: each of the nine has an array of its own.

__device__ void collide(float* out, const float* in, int field, int cell) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * cell;
  constexpr int X[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  constexpr int Y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  float f[9];
  float density = 0;
  float x = 0;
  float y = 0;
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    f[q] = in[i + q * field];
    density += f[q];
    x += static_cast<float>(X[q]) * f[q];
    y += static_cast<float>(Y[q]) * f[q];
  }
  x /= density;
  y /= density;
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const float weight = q == 0 ? 4.0F / 9 : q < 5 ? 1.0F / 9 : 1.0F / 36;
    const float along = static_cast<float>(X[q]) * x + static_cast<float>(Y[q]) * y;
    const float rest = 1 + 3 * along + 4.5F * along * along - 1.5F * (x * x + y * y);
    out[i + q * field] = 0.4F * f[q] + 0.6F * weight * density * rest;
  }
}
extern "C" __global__ void slow(float* out, const float* in, int cells) { collide(out, in, 1, 9); }
extern "C" __global__ void fast(float* out, const float* in, int cells) {
  collide(out, in, cells, 1);
}
