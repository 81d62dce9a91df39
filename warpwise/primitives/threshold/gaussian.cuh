#pragma once

#include "warpwise/primitives/threshold/kernel.cuh"

// The Gaussian threshold by sums of floats. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::threshold {

/// Number of weights that a launch carries in its arguments, which may take 4 KiB on every GPU.
inline constexpr int threshold_weights_per_launch = 960;

struct WeightArguments {
  float* weights;
  int count;
  float values[threshold_weights_per_launch];
};

struct GaussianArguments {
  ThresholdSource src;
  ThresholdOutput out;
  const float* weights;  ///< weight of the centre, then outwards
  int half;
  float* along;         ///< weighted means along the rows of src; aligned to 16 bytes
  int64_t along_pitch;  ///< pitch in floats, a multiple of threshold_weighed_at_once
  int shift;
};

/// Writes weights from kernel arguments to device memory, so that the caller need not keep a copy
/// in host memory. Launched with one block.
__global__ void __launch_bounds__(threshold_block_threads) threshold_weights(WeightArguments a) {
  for (int i = static_cast<int>(threadIdx.x); i < a.count; i += threshold_block_threads) {
    a.weights[i] = a.values[i];
  }
}

/// Computes n adjacent weighted sums, from the centre outwards and without fused operations, as
/// every backend does. At distance i, sum[k] takes the values load(k - i) and load(k + i). All but
/// two of these values, over all k, are already in registers from distance i - 1. Value v is in
/// element v mod n of `below` or `above`, so no value moves. The unrolled loop knows this index at
/// compile time.
template <int n, class Weights, class Load>
__device__ void weigh(const Weights& weights, int half, const Load& load, float (&sum)[n]) {
  float below[n];
  float above[n];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    below[k] = above[k] = load(k);
    sum[k] = __fmul_rn(weights[0], above[k]);
  }
#pragma unroll(n == 1 ? 8 : 1)
  for (int first = 1; first <= half; first += n) {
#pragma unroll
    for (int j = 0; j < n; ++j) {
      const int i = first + j;
      if (i > half) return;
      below[n - 1 - j] = load(-i);
      above[j] = load(n - 1 + i);
      const float weight = weights[i];
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const float pair = __fadd_rn(below[(k + n - 1 - j) % n], above[(k + 1 + j) % n]);
        sum[k] = __fadd_rn(sum[k], __fmul_rn(weight, pair));
      }
    }
  }
}

/// Computes weighted means along each row. Grid: x covers the columns, of which a thread takes a
/// group of adjacent ones; y strides over the rows, of which a warp takes one at a time.
template <class Pixel>
__global__ void __launch_bounds__(threshold_block_threads)
    threshold_weigh_rows(GaussianArguments a) {
  constexpr int n = threshold_weighed_at_once;
  const int64_t x = (int64_t{blockIdx.x} * 32 + threadIdx.x % 32) * n;
  if (x >= a.src.width) return;
  const bool inside = x >= a.half && x + n + a.half <= a.src.width;
  for (int64_t y = int64_t{blockIdx.y} * threshold_warps + threadIdx.x / 32; y < a.src.height;
       y += int64_t{gridDim.y} * threshold_warps) {
    const unsigned char* row = a.src.data + y * a.src.pitch;
    float sum[n];
    if (inside) {
      row += x * int64_t{sizeof(Pixel)};
      weigh(
          a.weights, a.half, [&](int i) { return static_cast<float>(load_pixel<Pixel>(row, i)); },
          sum);
    } else {
      weigh(
          a.weights, a.half,
          [&](int i) {
            return static_cast<float>(load_pixel<Pixel>(row, clamp_index(x + i, a.src.width)));
          },
          sum);
    }
    auto* const out = reinterpret_cast<float4*>(a.along + y * a.along_pitch + x);
#pragma unroll
    for (int k = 0; k < n; k += 4) out[k / 4] = {sum[k], sum[k + 1], sum[k + 2], sum[k + 3]};
  }
}

/// Decides the pixel from its window's weighted mean, `sum`.
template <class Pixel, class Arguments>
__device__ void decide_weighed(const Arguments& a, int64_t x, int64_t y, float sum) {
  constexpr float largest = static_cast<Pixel>(~Pixel{0});
  // Rounded weights may add up to more than 1: the mean of pixels at the maximum may then exceed
  // the maximum.
  const auto mean = static_cast<int>(fminf(rintf(sum), largest));
  const auto value = static_cast<int>(load_pixel<Pixel>(a.src.data + y * a.src.pitch, x));
  const unsigned result = value + a.shift > mean ? a.out.above : a.out.below;
  store_element(a.out.dst + y * a.out.dst_pitch, x, static_cast<Pixel>(result));
  if (a.out.mean == nullptr) return;
  unsigned char* mean_row = a.out.mean + y * a.out.mean_pitch;
  if (a.out.mean_is_float) {
    store_element(mean_row, x, sum);
  } else {
    store_element(mean_row, x, static_cast<Pixel>(mean));
  }
}

/// Computes weighted means of `along` down the columns and decides the pixels. Grid: x covers the
/// columns, one for each thread; y strides over groups of adjacent rows, one for each thread.
template <class Pixel>
__global__ void __launch_bounds__(threshold_block_threads)
    threshold_weigh_columns(GaussianArguments a) {
  constexpr int n = threshold_weighed_at_once;
  const int64_t x = int64_t{blockIdx.x} * 32 + threadIdx.x % 32;
  if (x >= a.src.width) return;
  for (int64_t y = (int64_t{blockIdx.y} * threshold_warps + threadIdx.x / 32) * n; y < a.src.height;
       y += int64_t{gridDim.y} * threshold_warps * n) {
    const float* column = a.along + x;
    float sum[n];
    if (y >= a.half && y + n + a.half <= a.src.height) {
      column += y * a.along_pitch;
      weigh(a.weights, a.half, [&](int i) { return column[i * a.along_pitch]; }, sum);
    } else {
      weigh(
          a.weights, a.half,
          [&](int i) { return column[clamp_index(y + i, a.src.height) * a.along_pitch]; }, sum);
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (y + k < a.src.height) decide_weighed<Pixel>(a, x, y + k, sum[k]);
    }
  }
}

}  // namespace warpwise::kernels::threshold
