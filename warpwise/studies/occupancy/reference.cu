// Expected result of the kernels: a copy.
extern "C" __global__ void reference(unsigned* out, const unsigned* in, long long count) {
  const long long threads = static_cast<long long>(gridDim.x) * BLOCK_X;
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x; i < count;
       i += threads) {
    out[i] = in[i];
  }
}
