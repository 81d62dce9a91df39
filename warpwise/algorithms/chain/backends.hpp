#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/algorithms/chain/arguments.hpp"
#include "warpwise/algorithms/chain/chain.hpp"

// The backends that Chain::run() calls once its arguments are checked.
namespace warpwise::detail::chain {

/// Type, number and order of channels of an image's pixels.
struct Pixels {
  ElementType type = ElementType::u8;
  int channels = 1;
  std::optional<ChannelOrder> order = {};

  friend bool operator==(const Pixels&, const Pixels&) = default;
};

/// Returns the type and channels of a step's result, if a further step reads it. Among several
/// possible types, takes the first.
Pixels result_of(const ChainStep& step, Pixels from);

/// Returns the number of rows above and below a pixel's row that a step's result depends on.
std::int64_t halo_of(const ChainStep& step);

/// Runs one step by calling its primitive.
void run_step(const ChainStep& step, ConstHostView src, HostView dst);
void run_step(const ChainStep& step, ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

/// Computes the rows of a step's result from row `first` on, into all rows of dst. The arguments
/// are not checked.
void run_rows(const ChainStep& step, ConstHostView src, HostView dst, std::int64_t first);

/// Pool of memory blocks: a finished strip gives its block back and a later one takes it. Holds no
/// more blocks than the number of strips that ran at the same time.
class KeptMemory {
 public:
  struct Block {
    std::unique_ptr<std::byte[]> data;
    std::int64_t bytes = 0;
  };

  /// Returns an uninitialised block of at least `bytes` bytes.
  Block take(std::int64_t bytes);
  void give_back(Block block) noexcept;

 private:
  std::mutex mutex_;
  std::vector<Block> free_;
};

/// Runs all steps on the CPU, band by band.
void run_bands(std::span<const ChainStep> steps, ConstHostView src, HostView dst,
               KeptMemory& memory);

template <class View>
Pixels pixels_of(const View& view) {
  return {view.type(), view.channels(), view.order()};
}

/// Returns the steps without a convert() to grey if the sobel() after it computes the same grey
/// itself.
std::vector<ChainStep> without_grey(std::span<const ChainStep> steps);

/// Returns the fused kernel's parameters for these steps on an image whose view has this order of
/// channels. Returns nothing if the kernel cannot compute them.
std::optional<kernels::chain::ChainRule> fused_rule(std::span<const ChainStep> steps,
                                                    std::optional<ChannelOrder> order);
/// Returns true if the fused kernel can process these views.
bool takes_views(ConstDeviceView src, DeviceView dst);
/// Returns true if the fused kernel is faster than the steps' own kernels, for all images of a call
/// together.
bool is_faster(const kernels::chain::ChainRule& rule, std::span<const DeviceView> dst);
/// Returns true while work on the stream is recorded into a graph. \throws CudaError
bool is_recorded(gpu::StreamHandle stream);
/// Launches the fused kernel for images that takes_views() has accepted.
void run_fused(const kernels::chain::ChainRule& rule, std::span<const ConstDeviceView> src,
               std::span<const DeviceView> dst, gpu::StreamHandle stream);

}  // namespace warpwise::detail::chain
