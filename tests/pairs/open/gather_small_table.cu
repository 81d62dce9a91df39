// slow: a thread looks up eight scattered elements; each index needs the previous element.
// fast: the eight indices do not depend on elements.

extern "C" __global__ void slow(float* out, const unsigned* index, const float* table) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = index[i];
  float sum = 0;
  for (unsigned k = 0; k < 8; ++k) {
    const float value = table[(at + k * 40503U) & 65535];
    sum += value;
    at += value < 0 ? 1 : 0;  // never, but the next place has to wait for it
  }
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const unsigned* index, const float* table) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned at = index[i];
  float sum = 0;
  for (unsigned k = 0; k < 8; ++k) sum += table[(at + k * 40503U) & 65535];
  out[i] = sum;
}
