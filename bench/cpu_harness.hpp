#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

// Compares a CPU path with its peer in one process, call by call in turn, so that both see the same
// state of the machine. On a shared machine only the ratio of neighbouring calls is meaningful.
namespace warpwise::bench {

/// Two ways to do the same work.
struct Pair {
  std::function<void()> ours;
  std::function<void()> peer;  ///< empty if nothing else does the same work
};

/// Roof of a comparison: the most work a second that this machine does with a number of threads,
/// measured in the same run. work_per_second() is called at every sample, so it must be quick, or
/// measure only once.
struct Roof {
  std::string name;  ///< name of the counter for the percentage of the roof: "stream_%"
  std::function<double(std::int64_t width, std::int64_t height)> work;
  std::function<double(int threads)> work_per_second;
};

/// One comparison: `make(width, height)` allocates, fills and returns the two calls.
struct Comparison {
  std::string name;       ///< "sobel/u8 magnitude l1"
  std::string peer_name;  ///< "OpenCV"
  /// Fewest bytes that the work moves: inputs read once, outputs written once.
  std::function<std::int64_t(std::int64_t width, std::int64_t height)> bytes;
  std::function<Pair(std::int64_t width, std::int64_t height)> make;
  /// Roof that replaces the bandwidth of copying `bytes`.
  std::optional<Roof> roof = {};
  /// True if the peer has no threads of its own: the comparison then uses one thread only.
  bool one_thread = false;
  /// Seconds of our calls to measure; 0: Google Benchmark's default.
  double seconds = 0;
};

/// Registers a comparison at 1280x720, 4096x3072 and 1921x1081, with one thread and with all, or as
/// cpu_bench's options say. Called at the end of a bench file, as
/// `const bool registered = (add({…}), true);`
void add(const Comparison& comparison);

/// Registers a comparison at one size, for work that has sizes of its own.
void add_at(const Comparison& comparison, std::int64_t width, std::int64_t height);

/// Returns the time of the fastest of `times` calls, in seconds.
double fastest(int times, const std::function<void()>& work);

/// Runs `work(0)` to `work(threads - 1)` at the same time, each on a thread of its own.
void on_threads(int threads, const std::function<void(int thread)>& work);

/// Returns the bytes a second that `threads` threads read from memory, measured once in a
/// run.
double read_bytes_per_second(int threads);

}  // namespace warpwise::bench
