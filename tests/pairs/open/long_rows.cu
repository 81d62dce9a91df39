// slow: one block multiplies a whole row of 524288 numbers by a vector, so that only 48 blocks run.
// fast: 32 blocks share a row, and add their sums by an atomic each.

__device__ void multiply(float* out, const float* matrix, const float* x, int columns) {
  __shared__ float parts[16];
  const int row = blockIdx.y;
  const int share = columns / gridDim.x;
  const int first = blockIdx.x * share;
  float sum = 0;
  for (int k = first + threadIdx.x; k < first + share; k += blockDim.x)
    sum = fmaf(matrix[row * columns + k], x[k], sum);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 16 ? parts[threadIdx.x] : 0.0F;
    for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
    if (threadIdx.x == 0) atomicAdd(&out[row], sum);
  }
}
extern "C" __global__ void slow(float* out, const float* matrix, const float* x, int columns) {
  multiply(out, matrix, x, columns);
}
extern "C" __global__ void fast(float* out, const float* matrix, const float* x, int columns) {
  multiply(out, matrix, x, columns);
}
