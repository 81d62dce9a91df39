#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

// Check::runtime of copies and fills: that they lie in memory that there is, and go the way that
// they say. What is wrong is reported; the call goes on as it does without the check.
namespace warpwise::emulator::runtime {

/// Rows of memory, of an array too.
struct Rows {
  const void* first = nullptr;
  std::size_t pitch = 0;
  std::size_t width = 0;
  std::size_t height = 1;
};

/// \param kind  what the call says of both ends
void check_copy(const Rows& to, const Rows& from, cudaMemcpyKind kind);

void check_fill(const Rows& to);

/// With Check::init: a copy to the host of memory of which nobody has written a byte is reported.
void check_written(const void* to, const Rows& from);

/// What a call of a copy or a fill gets wrong in itself: `wrong` follows its name in the report.
void report_bad_copy(const std::string& wrong);

}  // namespace warpwise::emulator::runtime
