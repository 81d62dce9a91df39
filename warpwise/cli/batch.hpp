#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "warpwise/cli/report.hpp"
#include "warpwise/cli/worker.hpp"

namespace warpwise::cli {

/// What came of a job.
struct Outcome {
  FileReport report;
  std::exception_ptr failure;  ///< why there is no report; null if there is one
};

/// Does jobs one after another or several at a time, each on one thread from its first byte read to
/// its last written, so that one is decoded while others are computed and encoded. No pictures wait
/// between threads: there are never more of them than threads.
class Batch {
 public:
  struct Limits {
    std::size_t jobs = 1;    ///< at a time; with one the calling thread does them
    std::int64_t bytes = 0;  ///< that jobs need which are done at a time; one job may need more
    bool stops_at_failure = true;
  };

  /// `bytes_of_jobs` says for each job about how many bytes it needs; `work(job, worker)` does it,
  /// on other threads with a worker for each.
  Batch(std::vector<std::int64_t> bytes_of_jobs, const Limits& limits, Worker& worker,
        std::function<FileReport(std::size_t, Worker&)> work);
  /// Begins no other job and waits for those begun.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// What came of a job, as soon as it is done; nothing if it was not begun because another had
  /// failed. To be asked once, and for each job, in their order.
  std::optional<Outcome> outcome(std::size_t job);

 private:
  void work_off();
  std::optional<std::size_t> begin_next();
  Outcome done(std::size_t job, Worker& worker) const;
  void end(std::size_t job, Outcome outcome);

  const std::vector<std::int64_t> bytes_of_jobs_;
  const Limits limits_;
  Worker& worker_;
  const std::function<FileReport(std::size_t, Worker&)> work_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<std::optional<Outcome>> outcomes_;
  std::size_t next_ = 0;  // the first job that was not begun
  std::size_t running_ = 0;
  std::int64_t bytes_in_use_ = 0;
  bool stopped_ = false;

  std::vector<std::jthread> threads_;  // end before what they use
};

/// Half of the memory that this process may have.
std::int64_t half_of_memory();

/// How many jobs at a time have enough with the files that this process may have open.
std::size_t jobs_with_open_files();

}  // namespace warpwise::cli
