#pragma once

// What the gemv kernels take. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels {

struct GemvArguments {
  const unsigned char* a;
  const unsigned char* x;
  unsigned char* y;
  long long pitch;
  long long rows;
  long long columns;
  long long x_stride;
  long long y_stride;
  float* sums;  ///< sums[chunk * outputs + output]; null when a sum is one chunk and goes to y
  float alpha;
  float beta;
  bool x_by_four;   ///< x may be read four elements at a time
  bool y_by_float;  ///< y's elements lie at multiples of their size
};

inline constexpr int gemv_block_threads = 256;
// Two rows of one chunk in 16-byte loads are in flight in each thread: with two blocks on a
// multiprocessor more than the latency of device memory asks for, in the registers there are.
inline constexpr int gemv_rows_by_loads = 16;
// Rows in flight in each thread of the transposed product.
inline constexpr int gemv_strand_batch = 8;
// Outputs that a block of gemv_sum sums.
inline constexpr int gemv_sum_outputs = 32;

/// How the elements of A may be loaded: four at once, one by one, or a byte at a time where they
/// lie at odd addresses.
enum class GemvAccess { four, element, byte };

}  // namespace warpwise::kernels
