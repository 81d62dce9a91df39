#pragma once

#include <algorithm>
#include <cstdint>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef __SANITIZE_THREAD__
#include <thread>
#include <vector>
#endif

namespace warpwise::cpu {

/// Bytes of work below which handing rows to another thread costs more than it gains.
inline constexpr std::int64_t bytes_per_task = 256 * 1024;

/// Returns the number of threads that parallel_rows may use when called from here.
inline std::int64_t concurrency() {
  using tbb::global_control;
  const auto allowed = static_cast<std::int64_t>(
      global_control::active_value(global_control::max_allowed_parallelism));
  return std::min<std::int64_t>(tbb::this_task_arena::max_concurrency(), allowed);
}

#ifdef __SANITIZE_THREAD__
/// Replaces oneTBB under ThreadSanitizer. libtbb is not built with the sanitizer, which therefore
/// does not see how libtbb orders its threads and would report every task as a race. Threads of our
/// own run the same bodies.
template <class Body>
void run_tasks(std::int64_t rows, std::int64_t grain, const Body& body) {
  const std::int64_t count = std::min<std::int64_t>(4, (rows + grain - 1) / grain);
  std::vector<std::jthread> threads;
  for (std::int64_t i = 0; i < count; ++i) {
    threads.emplace_back([=, &body] { body(rows * i / count, rows * (i + 1) / count); });
  }
}
#else
template <class Body>
void run_tasks(std::int64_t rows, std::int64_t grain, const Body& body) {
  if (concurrency() == 1) return body(std::int64_t{0}, rows);
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows, static_cast<std::size_t>(grain)),
                    [&](const auto& range) { body(range.begin(), range.end()); });
}
#endif

/// Calls body(first_row, last_row) over disjoint ranges that cover [0, rows). The calls run in
/// parallel on the calling thread's oneTBB arena. A job that fits one task runs on the calling
/// thread alone.
///
/// \param bytes_per_row  memory that one row reads and writes; it sets the size of a task.
template <class Body>
void parallel_rows(std::int64_t rows, std::int64_t bytes_per_row, const Body& body) {
  const std::int64_t grain = bytes_per_task / (bytes_per_row > 0 ? bytes_per_row : 1) + 1;
  if (rows <= grain) {
    body(std::int64_t{0}, rows);
    return;
  }
  run_tasks(rows, grain, body);
}

}  // namespace warpwise::cpu
