// slow: a thread compares 32 pixels with a threshold, and packs the results into a word.
// fast: a lane compares one pixel, and a vote of the warp is the word.

extern "C" __global__ void slow(unsigned* out, const float* in, float threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned word = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) word |= static_cast<unsigned>(in[32 * i + k] > threshold) << k;
  out[i] = word;
}
extern "C" __global__ void fast(unsigned* out, const float* in, float threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned word = __ballot_sync(~0U, in[i] > threshold);
  if (threadIdx.x % 32 == 0) out[i / 32] = word;
}
