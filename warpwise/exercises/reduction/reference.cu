__global__ void block_sums(int* out, const int* in, int count) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= (count + 1023) / 1024) return;
  int sum = 0;
  for (int i = b * 1024; i < count && i < (b + 1) * 1024; ++i) sum += in[i];
  out[b] = sum;
}
