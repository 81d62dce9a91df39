#include "warpwise/algorithms/chain/chain.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "warpwise/algorithms/chain/backends.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

using detail::chain::Pixels;

template <class View>
Pixels pixels_of(const View& view) {
  return {view.type(), view.channels()};
}

/// An image between two steps, on a GPU, in memory that is kept for the next one.
class Between {
 public:
  DeviceView view(Pixels pixels, std::int64_t width, std::int64_t height,
                  gpu::StreamHandle stream) {
    constexpr std::int64_t alignment = 256;
    const std::int64_t row = checked_mul(width, pixels.channels * size_of(pixels.type));
    const std::int64_t pitch = checked_add(row, alignment - 1) / alignment * alignment;
    const std::int64_t bytes = checked_mul(pitch, height);
    if (!buffer_ || buffer_->bytes() < bytes) {
      buffer_.reset();
      buffer_.emplace(bytes, stream);
    }
    return {buffer_->data(), pixels.type, width, height, pixels.channels, pitch};
  }

 private:
  std::optional<gpu::Buffer> buffer_;
};

}  // namespace

struct Chain::State {
  std::optional<kernels::chain::ChainRule> fused;
  std::vector<Between> between;  // two, in turn, are enough for any number of steps
};

Chain::Chain(std::vector<ChainStep> steps)
    : steps_(std::move(steps)), state_(std::make_unique<State>()) {
  if (steps_.empty()) throw InvalidArgument("chain: there is no step");
  state_->fused = detail::chain::fused_rule(steps_);
  state_->between.resize(2);
}

Chain::~Chain() = default;
Chain::Chain(Chain&& other) noexcept = default;
Chain& Chain::operator=(Chain&& other) noexcept = default;

namespace {

/// Asks the steps themselves, with one pixel.
void require_steps(std::span<const ChainStep> steps, Pixels from, Pixels last) {
  Image src(from.type, 1, 1, from.channels);
  std::fill_n(src.view().data(), src.view().row_bytes(), std::byte{0});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Pixels to =
        i + 1 < steps.size() ? detail::chain::result_of(steps[i], pixels_of(src.view())) : last;
    Image dst(to.type, 1, 1, to.channels);
    detail::chain::run_step(steps[i], src.view(), dst.view());
    src = std::move(dst);
  }
}

template <class Source, class Destination>
void require_views(std::span<const ChainStep> steps, const Source& src, const Destination& dst) {
  detail::require_same_size("chain", src, dst);
  detail::require_disjoint("chain", src, dst);
  require_steps(steps, pixels_of(src), pixels_of(dst));
}

}  // namespace

void Chain::run(ConstHostView src, HostView dst) {
  require_views(steps_, src, dst);
  detail::chain::run_bands(steps_, src, dst);
}

void Chain::run(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  run(std::span(&src, 1), std::span(&dst, 1), stream);
}

void Chain::run(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                gpu::StreamHandle stream) {
  if (src.size() != dst.size()) {
    throw InvalidArgument("chain: there are " + std::to_string(src.size()) + " images and " +
                          std::to_string(dst.size()) + " results");
  }
  for (std::size_t i = 0; i < src.size(); ++i) require_views(steps_, src[i], dst[i]);
  gpu::require_device();
  const auto is_fused_one = [&](std::size_t i) { return is_fused(src[i], dst[i]); };
  for (std::size_t i = 0; i < src.size();) {
    std::size_t end = i;
    while (end < src.size() && is_fused_one(end)) ++end;
    if (end > i) {
      detail::chain::run_fused(*state_->fused, src.subspan(i, end - i), dst.subspan(i, end - i),
                               stream);
      i = end;
      continue;
    }
    ConstDeviceView from = src[i];
    for (std::size_t step = 0; step + 1 < steps_.size(); ++step) {
      const DeviceView to =
          state_->between[step % 2].view(detail::chain::result_of(steps_[step], pixels_of(from)),
                                         from.width(), from.height(), stream);
      detail::chain::run_step(steps_[step], from, to, stream);
      from = to;
    }
    detail::chain::run_step(steps_.back(), from, dst[i], stream);
    ++i;
  }
}

bool Chain::is_fused(ConstDeviceView src, DeviceView dst) const {
  return state_->fused && detail::chain::takes_views(src, dst);
}

}  // namespace warpwise
