#pragma once

#include <cstdint>
#include <functional>
#include <string>

// Compares a CPU path with its peer in one process, call by call in turn, so that both see the same
// machine: on a shared one only the ratio of neighbours means anything.
namespace warpwise::bench {

/// Two ways to do the same work.
struct Pair {
  std::function<void()> ours;
  std::function<void()> peer;
};

/// One comparison: `make(width, height)` allocates, fills and returns the two calls.
struct Comparison {
  std::string name;       ///< "sobel/u8 magnitude l1"
  std::string peer_name;  ///< "OpenCV"
  /// The fewest bytes that the work moves: inputs read once, outputs written once.
  std::function<std::int64_t(std::int64_t width, std::int64_t height)> bytes;
  std::function<Pair(std::int64_t width, std::int64_t height)> make;
};

/// Registers a comparison at 1280x720, 4096x3072 and 1921x1081, with one thread and with all.
/// `const bool registered = (add({…}), true);` at the end of a bench file.
void add(const Comparison& comparison);

/// The same at one size, for work that has its own.
void add_at(const Comparison& comparison, std::int64_t width, std::int64_t height);

}  // namespace warpwise::bench
