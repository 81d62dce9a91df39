// fails: thread_efficiency
__global__ void matvec(float* y, const float* a, const float* x, int rows, int columns) {
  const int lane = threadIdx.x;
  if (lane >= 32) return;
  float sum = 0;
  for (int column = lane; column < columns; column += 32)
    sum += a[blockIdx.x * columns + column] * x[column];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[blockIdx.x] = sum;
}
