// slow: a thread makes the softmax of a row of 96 values, in three passes.
// fast: a warp makes it, three values a lane, and keeps them in registers.

constexpr int columns = 96;

extern "C" __global__ void slow(float* out, const float* in) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) * columns;
  float most = in[row];
  for (int k = 1; k < columns; ++k) most = fmaxf(most, in[row + k]);
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += expf(in[row + k] - most);
  for (int k = 0; k < columns; ++k) out[row + k] = expf(in[row + k] - most) / sum;
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int first = (blockIdx.x * 4 + threadIdx.x / 32) * columns + threadIdx.x % 32;
  float x[3];
  for (int k = 0; k < 3; ++k) x[k] = in[first + 32 * k];
  float most = fmaxf(fmaxf(x[0], x[1]), x[2]);
  for (int lane = 16; lane > 0; lane /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, lane));
  }
  for (float& each : x) each = expf(each - most);
  float sum = x[0] + x[1] + x[2];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xffffffff, sum, lane);
  for (int k = 0; k < 3; ++k) out[first + 32 * k] = x[k] / sum;
}
