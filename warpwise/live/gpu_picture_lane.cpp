#include <optional>

#include "warpwise/live/device_steps.hpp"
#include "warpwise/live/lane.hpp"
#include "warpwise/live/pictures_on_gpu.hpp"

namespace warpwise::live {
namespace {

class GpuPictureLane final : public Lane {
 public:
  GpuPictureLane(const Pipeline& pipeline, PicturesOnGpu& gpu) : pipeline_(pipeline), gpu_(gpu) {
    times_.steps.resize(pipeline.steps().size());
  }

  std::span<std::byte> source() override {
    if (!source_) source_.emplace(pipeline_.source().shape);
    return source_->bytes();
  }
  void take(io::Picture picture) override { source_.emplace(std::move(picture)); }
  void prepare() override {
    if (steps_) return;
    for (const io::PictureShape& shape : pipeline_.results()) {
      results_.emplace_back(shape);
      results_.back().clear();
    }
    steps_.emplace(pipeline_, gpu_.stream());
  }
  std::span<const std::byte> result() const override { return results_[0].bytes(); }
  std::span<const io::Picture> pictures() const override { return results_; }
  const Milliseconds& milliseconds() const override { return times_; }

  void compute() override {
    prepare();
    const auto took =
        gpu_.compute([this](std::span<const DeviceSource> from, std::span<const DeviceResult> to,
                            gpu::StreamHandle stream) { steps_->run(from[0], to, stream); },
                     std::span(&*source_, 1), results_);
    times_.upload += took.upload;
    times_.steps.back() += took.compute;
    times_.download += took.download;
  }

 private:
  const Pipeline& pipeline_;
  PicturesOnGpu& gpu_;
  std::optional<io::Picture> source_;
  std::vector<io::Picture> results_;
  std::optional<DeviceSteps> steps_;
  Milliseconds times_;
};

}  // namespace

std::unique_ptr<Lane> gpu_picture_lane(const Pipeline& pipeline, PicturesOnGpu& gpu) {
  return std::make_unique<GpuPictureLane>(pipeline, gpu);
}

}  // namespace warpwise::live
