// slow: moving averages over 65 values; a block of 64 threads reads 128 values.
// fast: a block of 512 threads reads 576 values.

template <int threads>
__device__ void average(float* out, const float* in) {
  __shared__ float tile[threads + 64];
  const int first = blockIdx.x * threads;
  for (int k = threadIdx.x; k < threads + 64; k += threads) tile[k] = in[first + k];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 65; ++k) sum += tile[threadIdx.x + k];
  out[first + threadIdx.x] = sum / 65;
}
extern "C" __global__ void slow(float* out, const float* in) { average<64>(out, in); }
extern "C" __global__ void fast(float* out, const float* in) { average<512>(out, in); }
