#include "warpwise/algorithms/chain/chain.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/algorithms/chain/backends.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/shared/batch.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

using detail::chain::Pixels;
using detail::chain::pixels_of;

/// A GPU image between two steps. Its memory is kept for later images on the same stream.
class Between {
 public:
  DeviceView view(Pixels pixels, std::int64_t width, std::int64_t height,
                  gpu::StreamHandle stream) {
    constexpr std::int64_t alignment = 256;
    const std::int64_t row = checked_mul(width, pixels.channels * size_of(pixels.type));
    const std::int64_t pitch = checked_add(row, alignment - 1) / alignment * alignment;
    const std::int64_t bytes = checked_mul(pitch, height);
    take(bytes, stream);
    return DeviceView(buffer_->data(), pixels.type, width, height, pixels.channels, pitch)
        .in_order(pixels.order);
  }

 private:
  /// Makes sure that the buffer holds `bytes` bytes for `stream`. A Buffer is freed in the order of
  /// the stream that it was allocated on. Another stream therefore gets a new buffer, and the old
  /// stream must still exist then. A recorded graph may run later on any stream, so recording
  /// must not allocate.
  void take(std::int64_t bytes, gpu::StreamHandle stream) {
    const bool fits = buffer_ && buffer_->bytes() >= bytes;
    // The device is compared too: the default streams of all GPUs have the same handle.
    const int device = gpu::current_device();
    if (fits && stream_ == stream && device_ == device) return;
    if (detail::chain::is_recorded(stream)) {
      if (fits && device_ == device) return;
      throw InvalidArgument(
          "chain: run it once on an image of this size before recording it into a graph");
    }
    buffer_.reset();
    buffer_.emplace(bytes, stream);
    stream_ = stream;
    device_ = device;
  }

  std::optional<gpu::Buffer> buffer_;
  gpu::StreamHandle stream_ = nullptr;
  int device_ = 0;
};

/// The properties of two views that decide whether the steps accept them.
struct Question {
  Pixels from;
  Pixels last;
  std::int64_t width;  // 1 if the views' width is odd, 2 if it is even

  friend bool operator==(const Question&, const Question&) = default;
};

/// Runs the steps on one or two pixels, so that they throw their own errors.
void require_steps(std::span<const ChainStep> steps, const Question& question) {
  Image src(question.from.type, question.width, 1, question.from.channels);
  std::fill_n(src.view().data(), src.view().row_bytes(), std::byte{0});
  Pixels from = question.from;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Pixels to =
        i + 1 < steps.size() ? detail::chain::result_of(steps[i], from) : question.last;
    Image dst(to.type, question.width, 1, to.channels);
    detail::chain::run_step(steps[i], src.view().in_order(from.order), dst.view());
    src = std::move(dst);
    from = to;
  }
}

/// Cache of one entry: the properties of the last views that the steps accepted. Views with equal
/// properties need no second require_steps().
class LastAccepted {
 public:
  void require(std::span<const ChainStep> steps, const Question& question) {
    const std::scoped_lock lock(mutex_);
    if (accepted_ == question) return;
    require_steps(steps, question);
    accepted_ = question;
  }

 private:
  std::mutex mutex_;
  std::optional<Question> accepted_;
};

/// Refuses a chain that was moved from. Its steps are in another chain.
void require_steps_of_its_own(const std::vector<ChainStep>& steps) {
  if (steps.empty()) throw InvalidArgument("chain: there is no step; the chain was moved from");
}

/// Launches the fused kernel, separately for each order of channels that the images have.
void run_fused(std::span<const ChainStep> steps, std::span<const ConstDeviceView> src,
               std::span<const DeviceView> dst, gpu::StreamHandle stream) {
  using enum ChannelOrder;
  for (const std::optional<ChannelOrder> order : {std::optional<ChannelOrder>(), {rgb}, {bgr}}) {
    std::vector<ConstDeviceView> from;
    std::vector<DeviceView> to;
    for (std::size_t i = 0; i < src.size(); ++i) {
      if (src[i].order() != order) continue;
      from.push_back(src[i]);
      to.push_back(dst[i]);
    }
    if (from.empty()) continue;
    detail::chain::run_fused(*detail::chain::fused_rule(steps, order), from, to, stream);
  }
}

}  // namespace

struct Chain::State {
  std::optional<kernels::chain::ChainRule> fused;  // rule of the fused kernel, if it may be used
  bool always = false;                             // use the fused kernel even if it is slower
  std::vector<ChainStep> steps;                    // the steps that run one after another on a GPU
  LastAccepted accepted;
  detail::chain::KeptMemory of_bands;
  std::array<Between, 2> between;  // used in turn: two suffice for any number of steps

  template <class Source, class Destination>
  void require_views(std::span<const ChainStep> steps, const Source& src, const Destination& dst) {
    detail::require_same_size("chain", src, dst);
    detail::require_disjoint("chain", src, dst);
    accepted.require(steps, {pixels_of(src), pixels_of(dst), 2 - src.width() % 2});
  }

  template <class Source, class Destination>
  void require_batch(std::span<const ChainStep> steps, std::span<const Source> src,
                     std::span<const Destination> dst) {
    if (src.size() != dst.size()) {
      throw InvalidArgument("chain: there are " + std::to_string(src.size()) + " images and " +
                            std::to_string(dst.size()) + " results");
    }
    std::vector<detail::BatchRows> rows;
    for (std::size_t i = 0; i < src.size(); ++i) {
      require_views(steps, src[i], dst[i]);
      detail::add_rows(rows, src[i], i, false);
      detail::add_rows(rows, dst[i], i, true);
    }
    if (src.size() > 1) detail::require_disjoint("chain", std::move(rows));
  }

  bool is_faster(std::span<const DeviceView> dst) const {
    return always || detail::chain::is_faster(*fused, dst);
  }

  /// Runs the steps' own kernels one after another.
  void run_steps(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
    ConstDeviceView from = src;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const DeviceView to = between[i % 2].view(detail::chain::result_of(steps[i], pixels_of(from)),
                                                from.width(), from.height(), stream);
      detail::chain::run_step(steps[i], from, to, stream);
      from = to;
    }
    detail::chain::run_step(steps.back(), from, dst, stream);
  }
};

Chain::Chain(std::vector<ChainStep> steps, ChainKernels kernels)
    : steps_(std::move(steps)), state_(std::make_unique<State>()) {
  if (steps_.empty()) throw InvalidArgument("chain: there is no step");
  const bool separate = kernels == ChainKernels::separate;
  state_->steps = separate ? steps_ : detail::chain::without_grey(steps_);
  if (!separate) state_->fused = detail::chain::fused_rule(steps_, {});
  state_->always = kernels == ChainKernels::fused;
}

Chain::~Chain() = default;
Chain::Chain(Chain&& other) noexcept = default;
Chain& Chain::operator=(Chain&& other) noexcept = default;

void Chain::run(ConstHostView src, HostView dst) {
  require_steps_of_its_own(steps_);
  state_->require_views(steps_, src, dst);
  detail::chain::run_bands(steps_, src, dst, state_->of_bands);
}

void Chain::run(std::span<const ConstHostView> src, std::span<const HostView> dst) {
  require_steps_of_its_own(steps_);
  state_->require_batch(steps_, src, dst);
  for (std::size_t i = 0; i < src.size(); ++i) {
    detail::chain::run_bands(steps_, src[i], dst[i], state_->of_bands);
  }
}

void Chain::run(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  run(std::span(&src, 1), std::span(&dst, 1), stream);
}

void Chain::run(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                gpu::StreamHandle stream) {
  require_steps_of_its_own(steps_);
  state_->require_batch(steps_, src, dst);
  gpu::require_device();
  std::vector<ConstDeviceView> fused_src;
  std::vector<DeviceView> fused_dst;
  for (std::size_t i = 0; state_->fused && i < src.size(); ++i) {
    if (!detail::chain::takes_views(src[i], dst[i])) continue;
    fused_src.push_back(src[i]);
    fused_dst.push_back(dst[i]);
  }
  const bool fuses = !fused_src.empty() && state_->is_faster(fused_dst);
  if (fuses) run_fused(steps_, fused_src, fused_dst, stream);
  for (std::size_t i = 0; i < src.size(); ++i) {
    if (fuses && detail::chain::takes_views(src[i], dst[i])) continue;
    state_->run_steps(src[i], dst[i], stream);
  }
}

bool Chain::is_fused(ConstDeviceView src, DeviceView dst) const {
  require_steps_of_its_own(steps_);
  return state_->fused && detail::chain::takes_views(src, dst) &&
         state_->is_faster(std::span(&dst, 1));
}

}  // namespace warpwise
