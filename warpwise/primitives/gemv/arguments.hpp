#pragma once

// What the gemv kernels take. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::gemv {

struct GemvArguments {
  const unsigned char* a;
  const unsigned char* x;  ///< without gaps, at a multiple of what is loaded of it at once
  unsigned char* y;
  long long pitch;
  long long rows;
  long long columns;
  long long y_stride;
  float* sums;  ///< sums[list * outputs + output]; null when there is one list: it goes to y
  float alpha;
  float beta;
  bool y_by_float;  ///< y's elements lie at multiples of their size
};

/// How the elements of A are loaded: 16 bytes at once, 8 (of 16-bit elements), one by one, or a
/// byte at a time where they lie at odd addresses.
enum class GemvAccess { vector, half_vector, element, byte };

inline constexpr int gemv_block_threads = 256;
// Turns of a block of gemv_rows: the sums of teams wait in shared memory.
inline constexpr int gemv_most_turns = 32;
// Threads of the largest block that sums few outputs' lists.
inline constexpr int gemv_most_sum_threads = 1024;
// Threads of the largest block of the transposed product.
inline constexpr int gemv_most_column_threads = 512;

/// Columns that a thread of the transposed product sums, and rows that it has in flight: with
/// single elements all rows of a strand, so that it waits for memory once. size: bytes of an
/// element
template <GemvAccess access, int size>
inline constexpr int gemv_thread_columns = access == GemvAccess::vector    ? 16 / size
                                           : access == GemvAccess::element ? 1
                                                                           : 4;
template <GemvAccess access>
inline constexpr int gemv_strand_batch = access == GemvAccess::element ? 32 : 8;

// Few columns, transposed: threads of a block, the most columns, and the most shared memory of a
// block, less than the 48 KB that every kernel may have, so that a multiprocessor of any GPU has a
// block at least and most have several.
inline constexpr int gemv_strand_threads = 128;
inline constexpr int gemv_few_columns = 16;
inline constexpr int gemv_strands_bytes = 40 << 10;

// Outputs of a narrow matrix's rows, of at most so many columns, that a thread sums.
inline constexpr int gemv_narrow_columns = 4;
inline constexpr int gemv_narrow_rows = 8;

}  // namespace warpwise::kernels::gemv
