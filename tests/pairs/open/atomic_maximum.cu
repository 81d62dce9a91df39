// slow: each thread takes part in the maximum by an atomic.
// fast: a thread reads the maximum so far, and has an atomic only where its own is greater.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(out, in[i] ^ threadIdx.x);
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned value = in[i] ^ threadIdx.x;
  if (value > *static_cast<volatile unsigned*>(out)) atomicMax(out, value);
}
