// slow: a block loads eight channels into shared memory, waits for them, and multiplies.
// fast: the next eight channels are copied while a block multiplies.

#include <cuda_pipeline.h>

__device__ void multiply(float (&sum)[16], const float (&tile)[8][128],
                         const float (&weights)[8][16]) {
#pragma unroll
  for (int c = 0; c < 8; ++c) {
    const float x = tile[c][threadIdx.x];
#pragma unroll
    for (int o = 0; o < 16; ++o) sum[o] = fmaf(weights[c][o], x, sum[o]);
  }
}
__device__ void store(float* out, const float (&sum)[16], int pixels) {
#pragma unroll
  for (int o = 0; o < 16; ++o)
    out[(blockIdx.y * 16 + o) * pixels + blockIdx.x * 128 + threadIdx.x] = sum[o];
}
extern "C" __global__ void slow(float* out, const float* in, const float* weights, int channels,
                                int pixels) {
  __shared__ __align__(16) float tile[8][128];
  __shared__ float part[8][16];
  const int row = threadIdx.x / 32;
  const int column = threadIdx.x % 32 * 4;
  float sum[16] = {};
  for (int first = 0; first < channels; first += 8) {
    for (int k = row; k < 8; k += 4) {
      *reinterpret_cast<float4*>(&tile[k][column]) =
          *reinterpret_cast<const float4*>(&in[(first + k) * pixels + blockIdx.x * 128 + column]);
    }
    part[threadIdx.x / 16][threadIdx.x % 16] =
        weights[(first + threadIdx.x / 16) * 64 + blockIdx.y * 16 + threadIdx.x % 16];
    __syncthreads();
    multiply(sum, tile, part);
    __syncthreads();
  }
  store(out, sum, pixels);
}
extern "C" __global__ void fast(float* out, const float* in, const float* weights, int channels,
                                int pixels) {
  __shared__ __align__(16) float tile[2][8][128];
  __shared__ float part[2][8][16];
  const int row = threadIdx.x / 32;
  const int column = threadIdx.x % 32 * 4;
  const auto copy = [&](int first) {
    if (first < channels) {
      const int stage = first / 8 & 1;
      for (int k = row; k < 8; k += 4) {
        __pipeline_memcpy_async(&tile[stage][k][column],
                                &in[(first + k) * pixels + blockIdx.x * 128 + column], 16);
      }
      __pipeline_memcpy_async(
          &part[stage][threadIdx.x / 16][threadIdx.x % 16],
          &weights[(first + threadIdx.x / 16) * 64 + blockIdx.y * 16 + threadIdx.x % 16], 4);
    }
    __pipeline_commit();
  };
  float sum[16] = {};
  copy(0);
  for (int first = 0; first < channels; first += 8) {
    copy(first + 8);
    __pipeline_wait_prior(1);
    __syncthreads();
    multiply(sum, tile[first / 8 & 1], part[first / 8 & 1]);
    __syncthreads();
  }
  store(out, sum, pixels);
}
