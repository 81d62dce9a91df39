// slow: the maximum of doubles is made by a loop that compares and swaps.
// fast: the bits of positive doubles are ordered like whole numbers, and have an instruction.

extern "C" __global__ void slow(double* out, const double* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto* most = reinterpret_cast<unsigned long long*>(&out[i % 256]);
  unsigned long long now = *most;
  unsigned long long before;
  do {
    before = now;
    now = atomicCAS(most, before, __double_as_longlong(fmax(in[i], __longlong_as_double(before))));
  } while (now != before);
}
extern "C" __global__ void fast(double* out, const double* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMax(reinterpret_cast<long long*>(&out[i % 256]), __double_as_longlong(in[i]));
}
