#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"

// Calls that `warpwise explain NAME` runs: each primitive has an explain_case.cpp in its folder.
namespace warpwise::explain_cases {

/// Device images of one stream. Inputs have the same values in every run.
class Operands {
 public:
  gpu::DeviceImage empty(ElementType type, std::int64_t width, std::int64_t height,
                         int channels = 1) const {
    return {type, width, height, channels, stream_};
  }
  /// Returns an image of random bytes, or of random floats in [0, 1).
  gpu::DeviceImage random(ElementType type, std::int64_t width, std::int64_t height,
                          int channels = 1);

  const gpu::Stream& stream() const { return stream_; }

 private:
  void put(std::byte* row, ElementType type, std::int64_t x);

  gpu::Stream stream_;
  std::uint64_t state_ = 1;
};

struct ExplainCase {
  std::string_view name;  ///< name of the primitive
  /// Default size of the image, or of gemv's matrix: it takes the emulator about a second.
  std::int64_t width = 512;
  std::int64_t height = 384;
  /// Calls the primitive once, on the stream of the operands and with usual options. Returns a
  /// description of the call: "u8 magnitude l1".
  std::string (*call)(Operands& operands, std::int64_t width, std::int64_t height);
};

/// Returns all cases, in the order of the list of primitives.
std::span<const ExplainCase> all();

}  // namespace warpwise::explain_cases
