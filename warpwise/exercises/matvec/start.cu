// Computes y = a x. The launch has a block of 128 threads for each row, but few blocks have work.
__global__ void matvec(float* y, const float* a, const float* x, int rows, int columns) {
  const int row = blockIdx.x * 128 + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int column = 0; column < columns; ++column) {
    const float element = a[row * columns + column];
    sum += element * x[column];
  }
  y[row] = sum;
}
