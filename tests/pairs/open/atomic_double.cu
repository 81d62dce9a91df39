// slow: doubles are added by a loop that compares and swaps.
// fast: doubles are added by the instruction for it.

extern "C" __global__ void slow(double* out, const unsigned* in) {
  const unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
  auto* at = reinterpret_cast<unsigned long long*>(&out[value & 4095]);
  unsigned long long old = *at;
  unsigned long long assumed;
  do {
    assumed = old;
    old = atomicCAS(at, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
  } while (old != assumed);
}
extern "C" __global__ void fast(double* out, const unsigned* in) {
  atomicAdd(&out[in[blockIdx.x * blockDim.x + threadIdx.x] & 4095], 1.0);
}
