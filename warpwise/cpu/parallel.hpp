#pragma once

#include <cstdint>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace warpwise::cpu {

/// Bytes of work below which handing rows to another thread costs more than it gains.
inline constexpr std::int64_t bytes_per_task = 256 * 1024;

/// Threads that parallel_rows may use when called from here.
inline std::int64_t concurrency() { return tbb::this_task_arena::max_concurrency(); }

/// Calls body(first_row, last_row) over disjoint ranges that cover [0, rows), in parallel on the
/// calling thread's oneTBB arena; a job that fits one task runs on the calling thread alone.
///
/// \param bytes_per_row  memory that one row reads and writes, which sets the size of a task.
template <class Body>
void parallel_rows(std::int64_t rows, std::int64_t bytes_per_row, const Body& body) {
  const std::int64_t grain = bytes_per_task / (bytes_per_row > 0 ? bytes_per_row : 1) + 1;
  if (rows <= grain) {
    body(std::int64_t{0}, rows);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows, static_cast<std::size_t>(grain)),
                    [&](const auto& range) { body(range.begin(), range.end()); });
}

}  // namespace warpwise::cpu
