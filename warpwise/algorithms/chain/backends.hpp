#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/algorithms/chain/arguments.hpp"
#include "warpwise/algorithms/chain/chain.hpp"

// What Chain::run() calls once its arguments are checked.
namespace warpwise::detail::chain {

/// The pixels of an image, whatever its size.
struct Pixels {
  ElementType type = ElementType::u8;
  int channels = 1;

  friend bool operator==(const Pixels&, const Pixels&) = default;
};

/// What a step makes of pixels; nothing where that is not its own choice but the last view's.
Pixels result_of(const ChainStep& step, Pixels from);

/// Rows to either side of a pixel's that a step's result depends on.
std::int64_t halo_of(const ChainStep& step);

/// One step, by the primitive.
void run_step(const ChainStep& step, ConstHostView src, HostView dst);
void run_step(const ChainStep& step, ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

/// The rows of a step's result from `first` on, as many as dst has. Not checked.
void run_rows(const ChainStep& step, ConstHostView src, HostView dst, std::int64_t first);

/// Memory that strips have used and the next ones take: of as many as ran at a time.
class KeptMemory {
 public:
  struct Block {
    std::unique_ptr<std::byte[]> data;
    std::int64_t bytes = 0;
  };

  /// A block of `bytes` or more, uninitialised.
  Block take(std::int64_t bytes);
  void give_back(Block block) noexcept;

 private:
  std::mutex mutex_;
  std::vector<Block> free_;
};

/// All steps on the CPU, band by band.
void run_bands(std::span<const ChainStep> steps, ConstHostView src, HostView dst,
               KeptMemory& memory);

/// What the fused kernel computes in place of these steps; nothing where it does not.
std::optional<kernels::chain::ChainRule> fused_rule(std::span<const ChainStep> steps);
/// Whether it takes these views.
bool takes_views(ConstDeviceView src, DeviceView dst);
/// Whether it is faster than the steps' own kernels, for all images of a call together.
bool is_faster(const kernels::chain::ChainRule& rule, std::span<const DeviceView> dst);
/// Whether work on the stream is recorded into a graph. \throws CudaError
bool is_recorded(gpu::StreamHandle stream);
/// Launches it for images that it takes.
void run_fused(const kernels::chain::ChainRule& rule, std::span<const ConstDeviceView> src,
               std::span<const DeviceView> dst, gpu::StreamHandle stream);

}  // namespace warpwise::detail::chain
