#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

// Check::runtime for copies and fills: both ends must be valid memory, and match the call's
// direction. Errors are reported, and the call continues as without the check.
namespace warpwise::emulator::runtime {

/// Rows of memory, or of an array.
struct Rows {
  const void* first = nullptr;
  std::size_t pitch = 0;
  std::size_t width = 0;
  std::size_t height = 1;
};

/// Checks both ends of a copy. \param kind  direction that the call states
void check_copy(const Rows& to, const Rows& from, cudaMemcpyKind kind);

void check_fill(const Rows& to);

/// With Check::init, reports a copy to the host if none of its bytes was ever written.
void check_written(const void* to, const Rows& from);

/// Reports an invalid copy or fill. `wrong` follows the function's name in the report.
void report_bad_copy(const std::string& wrong);

}  // namespace warpwise::emulator::runtime
