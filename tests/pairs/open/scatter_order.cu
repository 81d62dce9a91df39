// slow: a thread writes the element that an odd multiplier sends it to, anywhere in the array.
// fast: a thread writes the element of its own index; the values are the same.

__device__ float value(unsigned i) { return 0.5F * static_cast<float>(i & 1023); }
extern "C" __global__ void slow(float* out, unsigned mask) {
  const unsigned i = ((blockIdx.x * blockDim.x + threadIdx.x) * 2654435761U) & mask;
  out[i] = value(i);
}
extern "C" __global__ void fast(float* out, unsigned mask) {
  const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) & mask;
  out[i] = value(i);
}
