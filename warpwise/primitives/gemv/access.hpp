#pragma once

#include <algorithm>
#include <cstdint>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/gemv/arguments.hpp"
#include "warpwise/primitives/gemv/order.hpp"

// How gemv's kernels load the matrix, and helpers for the computation of launches.
namespace warpwise::detail::gemv {

/// Returns the size of a grid. It may be smaller than `blocks`: each block of a kernel with a
/// grid-stride loop then does the work of several.
constexpr unsigned gemv_grid(std::int64_t blocks) {
  return static_cast<unsigned>(std::min<std::int64_t>(blocks, 0x7fffffff));
}

constexpr int gemv_log2_up(std::int64_t number) {
  int log = 0;
  while (std::int64_t{1} << log < number) ++log;
  return log;
}

inline bool gemv_aligned(const void* data, std::int64_t stride, std::int64_t to) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(to) == 0 &&
         stride % to == 0;
}

/// Returns the widest loads that A's address, pitch and width allow. \param size  bytes of an
/// element
inline kernels::gemv::GemvAccess gemv_access(const kernels::gemv::GemvArguments& a,
                                             std::int64_t size) {
  // With a single row the pitch does not matter.
  const std::int64_t pitch = a.rows > 1 ? a.pitch : 0;
  const auto in_words_of = [&](std::int64_t bytes) {
    return gemv_aligned(a.a, pitch, bytes) && a.columns * size % bytes == 0;
  };
  if (in_words_of(16)) return kernels::gemv::GemvAccess::vector;
  if (size == 2 && in_words_of(8)) return kernels::gemv::GemvAccess::half_vector;
  return gemv_aligned(a.a, pitch, size) ? kernels::gemv::GemvAccess::element
                                        : kernels::gemv::GemvAccess::byte;
}

/// Returns true if gemv_rows, or gemv_columns for a transposed product, may read x in place.
/// Otherwise the kernel reads a contiguous copy of x.
inline bool gemv_reads_x(const void* x, std::int64_t stride, kernels::gemv::GemvAccess access,
                         std::int64_t size, bool transpose) {
  const std::int64_t word = transpose                                          ? size
                            : access == kernels::gemv::GemvAccess::vector      ? 16
                            : access == kernels::gemv::GemvAccess::half_vector ? 8
                                                                               : size;
  return stride == size && gemv_aligned(x, 0, word);
}

/// Returns the number of elements in a load. \param size  bytes of an element
constexpr int gemv_elements(kernels::gemv::GemvAccess access, int size) {
  return access == kernels::gemv::GemvAccess::vector        ? 16 / size
         : access == kernels::gemv::GemvAccess::half_vector ? 8 / size
                                                            : 1;
}

}  // namespace warpwise::detail::gemv
