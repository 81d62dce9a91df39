#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"

// What `warpwise explain NAME` runs of a primitive: each has one explain_case.cpp in its folder.
namespace warpwise::explain_cases {

/// Device images of one stream, the inputs with values that are the same in every run.
class Operands {
 public:
  gpu::DeviceImage empty(ElementType type, std::int64_t width, std::int64_t height,
                         int channels = 1) const {
    return {type, width, height, channels, stream_};
  }
  /// Bytes of any value; floats from 0 to below 1.
  gpu::DeviceImage random(ElementType type, std::int64_t width, std::int64_t height,
                          int channels = 1);

  const gpu::Stream& stream() const { return stream_; }

 private:
  void put(std::byte* row, ElementType type, std::int64_t x);

  gpu::Stream stream_;
  std::uint64_t state_ = 1;
};

struct ExplainCase {
  std::string_view name;  ///< of the primitive
  /// Of the image, or of the matrix of gemv, by default: takes the emulator a second or so.
  std::int64_t width = 512;
  std::int64_t height = 384;
  /// Calls the primitive once, on the stream of the operands and with the options that it has by
  /// default. Returns what it was called with: "u8 magnitude l1".
  std::string (*call)(Operands& operands, std::int64_t width, std::int64_t height);
};

/// All there are, in the order of the list of primitives.
std::span<const ExplainCase* const> all();

}  // namespace warpwise::explain_cases
