// slow: a thread adds two halves.
// fast: a thread adds two pairs of halves by one instruction.

#include <cuda_fp16.h>

extern "C" __global__ void slow(__half* out, const __half* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hadd(in[i], in[i]);
}
extern "C" __global__ void fast(__half* out, const __half* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const __half2 pair = reinterpret_cast<const __half2*>(in)[i];
  reinterpret_cast<__half2*>(out)[i] = __hadd2(pair, pair);
}
