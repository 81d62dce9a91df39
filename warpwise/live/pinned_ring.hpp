#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::live {

/// Page-locked memory for transfers of pictures of any size. Pictures pass in parts: one part is
/// transferred while the next is copied. Parts are allocated on first use and then kept. Each ring
/// belongs to one stream.
class PinnedRing {
 public:
  /// Size limit: a ring has up to `parts` parts of `part_bytes` bytes.
  static constexpr std::size_t part_bytes = 1 << 20;
  static constexpr std::size_t parts = 4;

  /// Returns when `host` is copied into the ring; the caller may then change it. The transfer
  /// completes in the stream's order. \throws CudaError
  void upload(std::span<const std::byte> host, std::byte* device, gpu::StreamHandle stream);
  /// Returns when all bytes are in `host`. \throws CudaError
  void download(const std::byte* device, std::span<std::byte> host, gpu::StreamHandle stream);

 private:
  struct Part {
    Part();
    gpu::HostBuffer buffer;
    gpu::Event passed;  // recorded after the part's last transfer
  };
  Part& part(std::size_t number);

  std::array<std::optional<Part>, parts> ring_;
};

}  // namespace warpwise::live
