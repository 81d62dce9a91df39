// slow: a thread makes one output channel of a convolution at its pixel.
// fast: a thread makes eight output channels, and uses each number of the image for all of them.

template <int outputs>
__device__ void convolve(float* out, const float* in, const float* weights) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int image = blockIdx.z / (32 / outputs);
  const int first = blockIdx.z % (32 / outputs) * outputs;
  float sum[outputs] = {};
#pragma unroll 1
  for (int c = 0; c < 32; ++c) {
    const float* window = &in[((image * 32 + c) * 130 + y) * 130 + x];
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      const float value = window[k / 3 * 130 + k % 3];
#pragma unroll
      for (int o = 0; o < outputs; ++o)
        sum[o] = fmaf(weights[((first + o) * 32 + c) * 9 + k], value, sum[o]);
    }
  }
#pragma unroll
  for (int o = 0; o < outputs; ++o) out[((image * 32 + first + o) * 128 + y) * 128 + x] = sum[o];
}
extern "C" __global__ void slow(float* out, const float* in, const float* weights) {
  convolve<1>(out, in, weights);
}
extern "C" __global__ void fast(float* out, const float* in, const float* weights) {
  convolve<8>(out, in, weights);
}
