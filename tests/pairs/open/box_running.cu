// slow: a box filter down the columns; each thread adds the 31 values of its pixel.
// fast: a thread goes down 64 rows, and adds the value that comes and takes off the one that goes.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int n) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  const int y = blockIdx.y;
  unsigned sum = 0;
  for (int k = 0; k < 31; ++k) sum += in[(y + k) * n + x] & 255;
  out[y * n + x] = sum;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int n) {
  const int x = blockIdx.x * 128 + threadIdx.x;
  const int first = blockIdx.y * 64;
  unsigned sum = 0;
  for (int k = 0; k < 30; ++k) sum += in[(first + k) * n + x] & 255;
  for (int y = first; y < first + 64; ++y) {
    sum += in[(y + 30) * n + x] & 255;
    out[y * n + x] = sum;
    sum -= in[y * n + x] & 255;
  }
}
