// slow: lanes read the rows of a matrix in shared memory, which are 32 words apart.
// fast: the rows are 33 words apart.

template <int pitch>
__device__ void solve(float* out, const float* matrices, const float* right) {
  __shared__ float tiles[4][32 * pitch];
  const int lane = threadIdx.x % 32;
  const int system = blockIdx.x * 4 + threadIdx.x / 32;
  float* tile = tiles[threadIdx.x / 32];
  for (int k = 0; k < 32; ++k)
    tile[k * pitch + lane] = 0.03125F * matrices[(system * 32 + k) * 32 + lane];
  __syncwarp();
  float x = right[system * 32 + lane];
  for (int k = 0; k < 31; ++k) {
    const float known = __shfl_sync(~0U, x, k);
    const float factor = tile[lane * pitch + k];
    if (lane > k) x = fmaf(-factor, known, x);
  }
  out[system * 32 + lane] = x;
}
extern "C" __global__ void slow(float* out, const float* matrices, const float* right) {
  solve<32>(out, matrices, right);
}
extern "C" __global__ void fast(float* out, const float* matrices, const float* right) {
  solve<33>(out, matrices, right);
}
