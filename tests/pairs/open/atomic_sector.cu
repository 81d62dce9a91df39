// slow: eight counters lie side by side, in one sector.
// fast: the eight counters lie 4 KiB apart.

__device__ void count(unsigned* out, const unsigned* in, int gap) {
  const unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x % 32 == 0) atomicAdd(&out[(value & 7) * gap], value & 15);
}
extern "C" __global__ void slow(unsigned* out, const unsigned* in) { count(out, in, 1); }
extern "C" __global__ void fast(unsigned* out, const unsigned* in) { count(out, in, 1024); }
