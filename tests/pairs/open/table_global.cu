// slow: a table of 4 KiB is read from global memory, so that scattered lanes fill L1 with requests.
// fast: a block copies the table to shared memory first.

__device__ unsigned walk(const unsigned* table, unsigned value) {
  for (int k = 0; k < 16; ++k) value = (value >> 3) ^ table[value & 1023];
  return value;
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in, const unsigned* table) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = walk(table, in[i]);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, const unsigned* table) {
  __shared__ unsigned copy[1024];
  for (int k = threadIdx.x; k < 1024; k += 256) copy[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = walk(copy, in[i]);
}
