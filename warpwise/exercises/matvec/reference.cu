__global__ void matvec(float* y, const float* a, const float* x, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int column = 0; column < columns; ++column) {
    sum += static_cast<double>(a[row * columns + column]) * x[column];
  }
  y[row] = static_cast<float>(sum);
}
