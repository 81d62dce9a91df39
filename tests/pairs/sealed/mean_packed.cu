// slow: the sum and the count of each of 65536 cells are made by an atomic addition each.
// fast: both lie in 64 bits, and one atomic addition makes them.

extern "C" __global__ void slow(unsigned* cells, const unsigned* in) {
  const unsigned word = in[blockIdx.x * blockDim.x + threadIdx.x];
  const unsigned cell = word >> 16;
  atomicAdd(&cells[2 * cell], word & 255);
  atomicAdd(&cells[2 * cell + 1], 1);
}
extern "C" __global__ void fast(unsigned* cells, const unsigned* in) {
  const unsigned word = in[blockIdx.x * blockDim.x + threadIdx.x];
  const unsigned cell = word >> 16;
  unsigned long long* pairs = reinterpret_cast<unsigned long long*>(cells);
  atomicAdd(&pairs[cell], (1ULL << 32) | (word & 255));
}
