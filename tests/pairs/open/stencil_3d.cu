// slow: a thread reads the seven points of its element.
// fast: a thread goes up a column of 64 planes, with three values of the column in registers. The
// block stages each plane in shared memory.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) return;
  const int i = (z * n + y) * n + x;
  out[i] = 0.25F * in[i] +
           0.125F * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]);
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  __shared__ float plane[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int first = blockIdx.z * 64;
  const int column = threadIdx.x + 1;
  const int row = threadIdx.y + 1;
  int i = (first * n + y) * n + x;
  float below = first > 0 ? in[i - n * n] : 0;
  float here = in[i];
  for (int z = first; z < first + 64; ++z, i += n * n) {
    const float above = z < n - 1 ? in[i + n * n] : 0;
    __syncthreads();
    plane[row][column] = here;
    if (column == 1 && x > 0) plane[row][0] = in[i - 1];
    if (column == 32 && x < n - 1) plane[row][33] = in[i + 1];
    if (row == 1 && y > 0) plane[0][column] = in[i - n];
    if (row == 8 && y < n - 1) plane[9][column] = in[i + n];
    __syncthreads();
    if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1) {
      out[i] =
          0.25F * here + 0.125F * (plane[row][column - 1] + plane[row][column + 1] +
                                   plane[row - 1][column] + plane[row + 1][column] + below + above);
    }
    below = here;
    here = above;
  }
}
