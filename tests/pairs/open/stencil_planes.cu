// slow: neighbouring threads of a 7-point stencil take neighbouring planes.
// fast: neighbouring threads take neighbouring elements of a row.

__device__ void relax(float* out, const float* in, int n, int x, int y, int z) {
  if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) return;
  const int i = (z * n + y) * n + x;
  const float around =
      in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n];
  out[i] = 0.4F * in[i] + 0.1F * around;
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  relax(out, in, n, blockIdx.z * 2 + threadIdx.z, blockIdx.y * 4 + threadIdx.y,
        blockIdx.x * 32 + threadIdx.x);
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  relax(out, in, n, blockIdx.x * 32 + threadIdx.x, blockIdx.y * 4 + threadIdx.y,
        blockIdx.z * 2 + threadIdx.z);
}
