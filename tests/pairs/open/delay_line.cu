// slow: a filter of 16 taps for each channel; a ring buffer, in local memory, has the last values.
// fast: the last values move through registers.

extern "C" __global__ void slow(float* out, const float* in, const float* taps, int samples) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  const int channels = gridDim.x * blockDim.x;
  float ring[16] = {};
#pragma unroll 1
  for (int i = 0; i < samples; ++i) {
    ring[i & 15] = in[i * channels + channel];
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += taps[k] * ring[(i - k) & 15];
    out[i * channels + channel] = sum;
  }
}
extern "C" __global__ void fast(float* out, const float* in, const float* taps, int samples) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  const int channels = gridDim.x * blockDim.x;
  float line[16] = {};
#pragma unroll 1
  for (int i = 0; i < samples; ++i) {
#pragma unroll
    for (int k = 15; k > 0; --k) line[k] = line[k - 1];
    line[0] = in[i * channels + channel];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += taps[k] * line[k];
    out[i * channels + channel] = sum;
  }
}
