#include "warpwise/viewer/computation.hpp"

#include <algorithm>

namespace warpwise::viewer {
namespace {

constexpr std::size_t frames_of_computation = 3;

// States the formats that the window takes. No frame is written to this sink: the window reads the
// lanes' results.
class WindowFormat final : public live::Sink {
 public:
  WindowFormat() : Sink("the window") {}

  AcceptedFrames accepted_frames(const live::Stream& stream) const override {
    if (stream.format() == PixelFormat::gray8) return {PixelFormat::gray8, Range::full};
    return {PixelFormat::rgb24, std::nullopt};
  }
  void begin(const live::Stream&) override {}
  void write(std::span<const std::byte>) override {}
  void finish() override {}
};

}  // namespace

void Frame::compute() {
  original_->compute();  // computed first, so that its frame can be copied
  result_->copy_source_from(*original_);
  result_->compute();
  ++computed_;
}

std::vector<double> Frame::milliseconds() const {
  std::vector<double> means = result_->milliseconds().steps;
  for (double& each : means) each /= static_cast<double>(std::max<std::int64_t>(1, computed_));
  return means;
}

Computation::Computation(std::vector<std::shared_ptr<live::Stage>> stages,
                         const live::Stream& source)
    : conversion_({}, source, WindowFormat()),
      pipeline_(std::move(stages), source, WindowFormat()) {}

// The original's picture is made on the GPU if the source's frames lie there, otherwise on the CPU.
// options.on_gpu decides only where the result is computed.
void Computation::reserve(const ViewOptions& options, live::OnGpu on_gpu) {
  auto originals = on_gpu.source
                       ? live::gpu_lanes(conversion_, frames_of_computation, on_gpu)
                       : live::cpu_lanes(conversion_, frames_of_computation, options.threads);
  auto results = options.on_gpu
                     ? live::gpu_lanes(pipeline_, frames_of_computation, on_gpu)
                     : live::cpu_lanes(pipeline_, frames_of_computation, options.threads);
  for (std::size_t i = 0; i < frames_of_computation; ++i) {
    frames_.emplace_back(std::move(originals[i]), std::move(results[i]));
  }
}

Frame& Computation::other_than(const Frame* one, const Frame* another) {
  return *std::find_if(frames_.begin(), frames_.end(),
                       [=](const Frame& each) { return &each != one && &each != another; });
}

}  // namespace warpwise::viewer
