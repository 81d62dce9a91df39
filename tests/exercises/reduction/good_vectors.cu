// Each thread loads four neighbouring numbers as one vector.
__global__ void block_sums(int* out, const int* in, int count) {
  __shared__ int partial[8];
  const int thread = threadIdx.x;
  const int at = blockIdx.x * 1024 + thread * 4;
  int sum = 0;
  if (at + 4 <= count) {
    const int4 four = *reinterpret_cast<const int4*>(in + at);
    sum = four.x + four.y + four.z + four.w;
  } else {
    for (int i = at; i < count; ++i) sum += in[i];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (thread % 32 == 0) partial[thread / 32] = sum;
  __syncthreads();
  if (thread > 0) return;
  for (int k = 1; k < 8; ++k) sum += partial[k];
  out[blockIdx.x] = sum;
}
