// Computes y = a x, a matrix times a vector. The launch has a block of 128 threads for each row.
__global__ void matvec(float* y, const float* a, const float* x, int rows, int columns) {
  __shared__ float partial[4];
  const int row = blockIdx.x;
  const int thread = threadIdx.x;
  float sum = 0;
  for (int column = thread; column < columns; column += 128) {
    sum += a[row * columns + column] * x[column];
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (thread % 32 == 0) partial[thread / 32] = sum;
  __syncthreads();
  if (thread == 0) y[row] = partial[0] + partial[1] + partial[2] + partial[3];
}
