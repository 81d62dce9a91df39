#pragma once

// Arguments of the gemv kernels. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::gemv {

struct GemvArguments {
  const unsigned char* a;
  const unsigned char* x;  ///< without gaps, at a multiple of the size of its loads
  unsigned char* y;
  long long pitch;
  long long rows;
  long long columns;
  long long y_stride;
  float* sums;  ///< sums[list * outputs + output]; null for a single list, which goes to y
  float alpha;
  float beta;
  bool y_by_float;  ///< true: y's elements are at multiples of their size
};

/// Width of the loads of A:
/// - vector: 16 bytes;
/// - half_vector: 8 bytes, for 16-bit elements;
/// - element: one element;
/// - byte: one byte, for elements that are not at multiples of their size.
enum class GemvAccess { vector, half_vector, element, byte };

inline constexpr int gemv_block_threads = 256;
// Most turns of a block of gemv_rows: shared memory holds the sums of its teams.
inline constexpr int gemv_most_turns = 32;
// Threads of the largest block of gemv_sum_few.
inline constexpr int gemv_most_sum_threads = 1024;
// Threads of the largest block of the transposed product.
inline constexpr int gemv_most_column_threads = 512;

/// Columns that a thread of the transposed product sums, and rows that it has in flight. With
/// single elements, all rows of a strand are in flight, so that the thread waits for memory once.
/// `size` is the bytes of an element.
template <GemvAccess access, int size>
inline constexpr int gemv_thread_columns = access == GemvAccess::vector    ? 16 / size
                                           : access == GemvAccess::element ? 1
                                                                           : 4;
template <GemvAccess access>
inline constexpr int gemv_strand_batch = access == GemvAccess::element ? 32 : 8;

// The transposed product of few columns: threads of a block, the largest number of columns, and the
// largest shared memory of a block, less than the 48 KB that every kernel may have. A
// multiprocessor of any GPU has room for at least one block, and most have room for several.
inline constexpr int gemv_strand_threads = 128;
inline constexpr int gemv_few_columns = 16;
inline constexpr int gemv_strands_bytes = 40 << 10;

// Narrow matrices: the largest number of columns, and the rows that a thread sums.
inline constexpr int gemv_narrow_columns = 4;
inline constexpr int gemv_narrow_rows = 8;

}  // namespace warpwise::kernels::gemv
