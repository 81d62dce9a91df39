// slow: threads read and write shared memory 16 words apart, so that banks conflict.
// fast: a word of padding behind every 16 makes the places fall into different banks.

__device__ void transform16(float (&v)[16]) {
#pragma unroll
  for (int half = 1; half < 16; half *= 2) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if ((i & half) == 0) {
        const float a = v[i];
        const float b = v[i + half];
        v[i] = a + b;
        v[i + half] = a - b;
      }
    }
  }
}
template <bool padded>
__device__ int place(int i) {
  return padded ? i + i / 16 : i;
}
template <bool padded>
__device__ void transform256(float* out, const float* in) {
  __shared__ float values[padded ? 4352 : 4096];
  const int local = threadIdx.x % 16;
  const int base = threadIdx.x / 16 * 256;
  const int block = blockIdx.x * 4096;
  float v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[block + base + 16 * k + local];
  transform16(v);
#pragma unroll
  for (int k = 0; k < 16; ++k) values[place<padded>(base + 16 * k + local)] = v[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = values[place<padded>(base + 16 * local + k)];
  transform16(v);
#pragma unroll
  for (int k = 0; k < 16; ++k) values[place<padded>(base + 16 * local + k)] = v[k];
  __syncthreads();
  for (int i = threadIdx.x; i < 4096; i += 256) out[block + i] = values[place<padded>(i)];
}
extern "C" __global__ void slow(float* out, const float* in) { transform256<false>(out, in); }
extern "C" __global__ void fast(float* out, const float* in) { transform256<true>(out, in); }
