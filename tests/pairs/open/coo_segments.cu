// slow: each entry of a sparse matrix, sorted by rows, is added to its row by an atomic.
// fast: a warp sums the entries of a row by shuffles, and the last one is added by an atomic.

extern "C" __global__ void slow(float* out, const unsigned* rows, const unsigned* columns,
                                const float* values, const float* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&out[rows[i] / 12], values[i] * x[columns[i] & 65535]);
}
extern "C" __global__ void fast(float* out, const unsigned* rows, const unsigned* columns,
                                const float* values, const float* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = rows[i] / 12;
  float sum = values[i] * x[columns[i] & 65535];
#pragma unroll
  for (unsigned away = 1; away < 32; away *= 2) {
    const float other = __shfl_up_sync(~0U, sum, away);
    const unsigned other_row = __shfl_up_sync(~0U, row, away);
    if (lane >= away && other_row == row) sum += other;
  }
  const unsigned next = __shfl_down_sync(~0U, row, 1);
  if (lane == 31 || next != row) atomicAdd(&out[row], sum);
}
