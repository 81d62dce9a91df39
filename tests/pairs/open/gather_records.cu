// slow: a thread copies a scattered record of eight floats, one after the other.
// fast: eight lanes copy a record, a float each.

constexpr unsigned records = 1U << 21;

__device__ unsigned place(unsigned i) { return i * 2654435761U % records; }

extern "C" __global__ void slow(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned from = place(i);
  for (int k = 0; k < 8; ++k) out[8 * i + k] = in[8 * from + k];
}
extern "C" __global__ void fast(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[8 * place(i / 8) + i % 8];
}
