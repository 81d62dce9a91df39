#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warpwise/gpu/stream.hpp"

// Registers GPU cases to measure: one for each primitive, variant and implementation.
namespace warpwise::bench {

/// Runs the case's problem on a stream, asynchronously.
using Work = std::function<void(gpu::StreamHandle stream)>;

/// A case with its buffers allocated and filled.
struct Prepared {
  Work run;
  /// Compares the output of run() with the expected result. Empty only for peers that define the
  /// result differently.
  std::function<bool()> verify;
};

struct Case {
  std::string primitive;
  std::string variant;         ///< the computation: "u8 magnitude l1"
  std::string implementation;  ///< "warpwise", or a peer's function
  std::int64_t width = 0;
  std::int64_t height = 0;
  /// Fewest bytes that the work can move: each input read once, each output written once.
  std::int64_t bytes = 0;
  /// Creates the problem on the device. The timer empties the caches before each cold call.
  std::function<Prepared(const gpu::Stream& stream)> prepare;
  bool hardly_writes = false;  ///< true: the case's roof is the rate of reading alone
};

/// The image sizes at which primitives are measured.
struct Size {
  std::int64_t width;
  std::int64_t height;
};
inline constexpr Size sizes[] = {{1280, 720}, {4096, 3072}, {16384, 12288}};

/// Registers cases. Used at the end of a bench file, as
/// `const Registration registered{[] { return std::vector<Case>{…}; }};`
struct Registration {
  explicit Registration(std::function<std::vector<Case>()> cases);
};

/// Returns the cases of all registrations. The cases of a file keep their order.
std::vector<Case> registered_cases();

/// Returns random bytes on the host, with which most prepared cases fill their inputs.
std::vector<std::uint8_t> random_bytes(std::int64_t count);

}  // namespace warpwise::bench
