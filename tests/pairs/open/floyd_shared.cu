// slow: a step of Floyd and Warshall's shortest paths; threads read the row and the column of k.
// fast: a block keeps its parts of the row and the column in shared memory.

extern "C" __global__ void slow(float* out, const float* in, int n, int k) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  out[y * n + x] = fminf(in[y * n + x], in[y * n + k] + in[k * n + x]);
}
extern "C" __global__ void fast(float* out, const float* in, int n, int k) {
  __shared__ float row[32];
  __shared__ float column[8];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (threadIdx.y == 0) row[threadIdx.x] = in[k * n + x];
  if (threadIdx.x == 0) column[threadIdx.y] = in[y * n + k];
  __syncthreads();
  out[y * n + x] = fminf(in[y * n + x], column[threadIdx.y] + row[threadIdx.x]);
}
