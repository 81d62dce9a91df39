#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/cli/pictures/worker.hpp"

namespace warpwise::cli {

/// Outcome of a job: a report or a failure.
struct Outcome {
  FileReport report;
  std::exception_ptr failure;  ///< reason why there is no report; null if there is a report
};

/// Runs jobs one after another, or several at a time. A job stays on one thread from its first read
/// to its last write. One job's picture is thus decoded while other pictures are computed and
/// encoded. Pictures are not passed between threads, so there are never more pictures than threads.
class Batch {
 public:
  struct Limits {
    std::size_t jobs = 1;    ///< number of jobs in flight; one job runs in the calling thread
    std::int64_t bytes = 0;  ///< memory for all jobs in flight; one job alone may exceed it
    bool stops_at_failure = true;
  };

  /// \param bytes_of_jobs  estimate of each job's memory in bytes
  /// \param work  called as work(job, worker) to run a job; each further thread has its own worker
  Batch(std::vector<std::int64_t> bytes_of_jobs, const Limits& limits, Worker& worker,
        std::function<FileReport(std::size_t, Worker&)> work);
  /// Starts no further job, and waits for the jobs in flight.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Waits for a job, and returns its outcome. Returns nullopt if the job was not started because
  /// another job failed. Must be called once for each job, in the jobs' order.
  std::optional<Outcome> outcome(std::size_t job);

 private:
  void run_remaining_jobs();
  std::optional<std::size_t> begin_next();
  Outcome run_and_catch(std::size_t job, Worker& worker) const;
  void finish_job(std::size_t job, Outcome outcome);

  const std::vector<std::int64_t> bytes_of_jobs_;
  const Limits limits_;
  Worker& worker_;
  const std::function<FileReport(std::size_t, Worker&)> work_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::optional<Outcome>> outcomes_;
  std::size_t next_ = 0;  // the first job that is not started yet
  std::size_t running_ = 0;
  std::int64_t bytes_in_use_ = 0;
  bool stopped_ = false;

  std::vector<std::jthread> threads_;  // last member: threads end before the members that they use
};

/// Returns half of the memory that this process may use, in bytes.
std::int64_t half_of_memory();

/// Returns the number of jobs in flight that this process's limit of open files allows.
std::size_t jobs_with_open_files();

}  // namespace warpwise::cli
