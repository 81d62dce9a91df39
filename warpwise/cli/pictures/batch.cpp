#include "warpwise/cli/pictures/batch.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace warpwise::cli {
namespace {

// Numbers of open files: of a job (its input and two results), and of the program itself with its
// libraries and a GPU's driver.
constexpr std::size_t files_of_job = 3;
constexpr std::size_t files_of_program = 64;

// Address space of a thread: its stack, and what malloc reserves for it.
constexpr std::int64_t bytes_of_thread = 128 << 20;

}  // namespace

Batch::Batch(std::vector<std::int64_t> bytes_of_jobs, const Limits& limits, Worker& worker,
             std::function<FileReport(std::size_t, Worker&)> work)
    : bytes_of_jobs_(std::move(bytes_of_jobs)), limits_(limits), worker_(worker),
      work_(std::move(work)), outcomes_(bytes_of_jobs_.size()) {
  const auto threads =
      std::min(static_cast<std::int64_t>(limits.jobs), limits.bytes / bytes_of_thread);
  while (threads > 1 && std::ssize(threads_) < threads) {
    try {
      threads_.emplace_back([this] { run_remaining_jobs(); });
    } catch (const std::exception&) {
      break;  // no more threads can be started, so the existing ones run all jobs
    }
  }
}

Batch::~Batch() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::optional<Outcome> Batch::outcome(std::size_t job) {
  if (threads_.empty() && begin_next()) finish_job(job, run_and_catch(job, worker_));
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return outcomes_[job] || (stopped_ && job >= next_); });
  return std::exchange(outcomes_[job], std::nullopt);
}

void Batch::run_remaining_jobs() {
  std::optional<Worker> worker;
  const auto work = [&] {
    while (const std::optional<std::size_t> job = begin_next()) {
      Outcome outcome;
      try {
        if (!worker) worker.emplace(worker_.clone_for_this_thread());
        outcome = run_and_catch(*job, *worker);
      } catch (...) {
        outcome.failure = std::current_exception();
      }
      finish_job(*job, std::move(outcome));
    }
  };
  try {
    worker_.with_its_threads(work);
  } catch (const std::exception&) {
    work();  // no memory for threads: this thread runs the jobs, which report their own errors
  }
}

std::optional<std::size_t> Batch::begin_next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return stopped_ || next_ == outcomes_.size() || running_ == 0 ||
           bytes_of_jobs_[next_] <= limits_.bytes - bytes_in_use_;
  });
  if (stopped_ || next_ == outcomes_.size()) return std::nullopt;
  ++running_;
  bytes_in_use_ += bytes_of_jobs_[next_];
  return next_++;
}

Outcome Batch::run_and_catch(std::size_t job, Worker& worker) const {
  try {
    return {work_(job, worker), nullptr};
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

void Batch::finish_job(std::size_t job, Outcome outcome) {
  const std::scoped_lock lock(mutex_);
  if (outcome.failure && limits_.stops_at_failure) stopped_ = true;
  outcomes_[job] = std::move(outcome);
  --running_;
  bytes_in_use_ -= bytes_of_jobs_[job];
  changed_.notify_all();
}

std::int64_t half_of_memory() {
  std::int64_t bytes = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
  rlimit addresses{};
  if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur < RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<std::int64_t>(addresses.rlim_cur));
  }
  // Reads the memory limit of a container. A missing file, or the text "max", means no limit.
  std::int64_t limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) bytes = std::min(bytes, limit);
  return bytes / 2;
}

std::size_t jobs_with_open_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 1;
  const auto most = static_cast<std::size_t>(files.rlim_cur);
  return most < files_of_program + files_of_job ? 1 : (most - files_of_program) / files_of_job;
}

}  // namespace warpwise::cli
