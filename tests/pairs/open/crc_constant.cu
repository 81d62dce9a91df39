// slow: lanes read the table of a checksum (CRC-32) in constant memory, each at another place.
// fast: lanes read a copy of the table in shared memory.

struct Table {
  unsigned values[256];
  constexpr Table() : values{} {
    for (unsigned i = 0; i < 256; ++i) {
      unsigned rest = i;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0xEDB88320U : 0);
      values[i] = rest;
    }
  }
};
__constant__ Table table;

__device__ unsigned checksum(const unsigned* values, const unsigned* in) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned sum = ~0U;
  for (int k = 0; k < 4; ++k) {
    const unsigned word = in[k * threads + blockIdx.x * blockDim.x + threadIdx.x];
    for (int shift = 0; shift < 32; shift += 8) {
      sum = sum >> 8 ^ values[(sum ^ word >> shift) & 255];
    }
  }
  return ~sum;
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = checksum(table.values, in);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned copy[256];
  copy[threadIdx.x] = table.values[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = checksum(copy, in);
}
