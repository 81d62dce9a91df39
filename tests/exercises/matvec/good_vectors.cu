// Computes four products at a time if 4 divides the columns. A tree in shared memory adds them.
__global__ void matvec(float* y, const float* a, const float* x, int rows, int columns) {
  __shared__ float partial[128];
  const int thread = threadIdx.x;
  const float* const row = a + blockIdx.x * columns;
  float sum = 0;
  if (columns % 4 == 0) {
    for (int i = thread; i < columns / 4; i += 128) {
      const float4 p = reinterpret_cast<const float4*>(row)[i];
      const float4 q = reinterpret_cast<const float4*>(x)[i];
      sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
  } else {
    for (int i = thread; i < columns; i += 128) sum += row[i] * x[i];
  }
  partial[thread] = sum;
  for (int distance = 64; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread < distance) partial[thread] += partial[thread + distance];
  }
  if (thread == 0) y[blockIdx.x] = partial[0];
}
