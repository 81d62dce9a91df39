#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::cli {

/// Page-locked memory through which pictures of any size pass to a device and back, a part at a
/// time: while one part is transferred the next is copied. It is allocated as far as the first
/// pictures need it, and then kept. One ring goes with one stream.
class PinnedRing {
 public:
  /// What one ring holds at most.
  static constexpr std::size_t part_bytes = 1 << 20;
  static constexpr std::size_t parts = 4;

  /// Returns when all of `host` is copied, which may then change; the transfer ends in the stream's
  /// order. \throws CudaError
  void upload(std::span<const std::byte> host, std::byte* device, gpu::StreamHandle stream);
  /// Returns when all has come. \throws CudaError
  void download(const std::byte* device, std::span<std::byte> host, gpu::StreamHandle stream);

 private:
  struct Part {
    Part();
    gpu::HostBuffer buffer;
    gpu::Event passed;  // its last transfer
  };
  Part& part(std::size_t number);

  std::array<std::optional<Part>, parts> ring_;
};

}  // namespace warpwise::cli
