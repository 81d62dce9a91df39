// slow: a thread reads the four components of a scattered vector from four arrays.
// fast: the components lie side by side, and a thread reads them by one load.

__device__ unsigned shuffled(unsigned i, unsigned mask) {
  i = i * 2654435761U & mask;
  i ^= i >> 11;
  return i * 2246822507U & mask;
}
extern "C" __global__ void slow(float* out, const float* in, unsigned mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned j = shuffled(i, mask);
  const unsigned count = mask + 1;
  out[i] = in[j] + in[count + j] + in[2 * count + j] + in[3 * count + j];
}
extern "C" __global__ void fast(float* out, const float* in, unsigned mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 vector = reinterpret_cast<const float4*>(in)[shuffled(i, mask)];
  out[i] = vector.x + vector.y + vector.z + vector.w;
}
