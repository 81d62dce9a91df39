#pragma once

// Arguments of the gemv kernels. g++, nvcc and NVRTC compile this file, so it includes nothing.
namespace warpwise::kernels::gemv {

/// Arguments of a product. Its outputs are the elements of y. Several thread blocks may share an
/// output, and each sums a part of it. They then write their partial sums to lists, each of which
/// holds one partial sum of every output. A later kernel adds the lists.
struct GemvArguments {
  const unsigned char* a;
  const unsigned char* x;  ///< contiguous, and aligned to the size of the kernel's loads of x
  unsigned char* y;
  long long pitch;
  long long rows;
  long long columns;
  long long y_stride;
  float* sums;  ///< sums[list * outputs + output]; null if there is one list, which goes to y
  float alpha;
  float beta;
  bool y_by_float;  ///< true: y's elements are aligned and accessed as floats; false: byte by byte
};

/// Width of the loads of A:
/// - vector: 16 bytes;
/// - half_vector: 8 bytes, for 16-bit elements;
/// - element: one element;
/// - byte: one byte, for elements that are not at multiples of their size.
enum class GemvAccess { vector, half_vector, element, byte };

inline constexpr int gemv_block_threads = 256;
// Largest number of turns of a block of gemv_rows. A turn is a pass of its loop, over new rows of
// A. Shared memory holds the sums of all turns.
inline constexpr int gemv_most_turns = 32;
// Threads of the largest block of gemv_sum_few.
inline constexpr int gemv_most_sum_threads = 1024;
// Threads of the largest block of the transposed product.
inline constexpr int gemv_most_column_threads = 512;

/// Number of columns that a thread of the transposed product sums. gemv_strand_batch is the number
/// of rows whose loads are in flight at a time. A thread that loads single elements loads all rows
/// of a strand (order.hpp) at once and waits only once. `size` is the bytes of an element.
template <GemvAccess access, int size>
inline constexpr int gemv_thread_columns = access == GemvAccess::vector    ? 16 / size
                                           : access == GemvAccess::element ? 1
                                                                           : 4;
template <GemvAccess access>
inline constexpr int gemv_strand_batch = access == GemvAccess::element ? 32 : 8;

// Limits of gemv_strands, the transposed product of few columns: threads of a block, columns of A,
// and bytes of shared memory of a block. These bytes are less than the 48 KB that every kernel may
// have. A multiprocessor of any GPU has room for at least one block, and most have room for
// several.
inline constexpr int gemv_strand_threads = 128;
inline constexpr int gemv_few_columns = 16;
inline constexpr int gemv_strands_bytes = 40 << 10;

// Limits of gemv_narrow: the largest number of columns, and the rows that a thread sums.
inline constexpr int gemv_narrow_columns = 4;
inline constexpr int gemv_narrow_rows = 8;

}  // namespace warpwise::kernels::gemv
