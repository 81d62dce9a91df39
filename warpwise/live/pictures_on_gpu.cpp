#include "warpwise/live/pictures_on_gpu.hpp"

#include <optional>
#include <vector>

#include "warpwise/base/stopwatch.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/live/device_steps.hpp"

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
  void adopt_picture(io::Picture picture) override { source_.emplace(std::move(picture)); }
  void adopt_gpu_buffer(gpu::Buffer pixels) override { on_gpu_.emplace(std::move(pixels)); }
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
    const auto work = [this](std::span<const DeviceSource> from, std::span<const DeviceResult> to,
                             gpu::StreamHandle stream) { steps_->run(from[0], to, stream); };
    const auto took =
        on_gpu_ ? gpu_.compute(work, {pipeline_.source().shape, on_gpu_->data()}, results_)
                : gpu_.compute(work, std::span(&*source_, 1), results_);
    times_.upload += took.upload;
    times_.steps.back() += took.compute;
    times_.download += took.download;
  }

 private:
  const Pipeline& pipeline_;
  PicturesOnGpu& gpu_;
  std::optional<io::Picture> source_;
  std::optional<gpu::Buffer> on_gpu_;
  std::vector<io::Picture> results_;
  std::optional<DeviceSteps> steps_;
  Milliseconds times_;
};

}  // namespace

std::unique_ptr<Lane> PicturesOnGpu::lane(const Pipeline& pipeline) {
  return std::make_unique<GpuPictureLane>(pipeline, *this);
}

std::optional<PicturesOnGpu::Decoded> PicturesOnGpu::decode_jpeg(std::span<const std::byte> file,
                                                                 bool luma, bool autorotate) {
  const std::optional<io::PictureShape> shape = jpeg_.begin(file, luma, autorotate);
  if (!shape) return std::nullopt;
  Decoded decoded{*shape, gpu::Buffer(shape->bytes(), stream_)};
  if (!jpeg_.decode(decoded.pixels.data(), stream_)) return std::nullopt;
  return decoded;
}

PicturesOnGpu::Milliseconds PicturesOnGpu::compute(const Work& work,
                                                   std::span<const io::Picture> sources,
                                                   std::span<io::Picture> results) {
  std::vector<gpu::Buffer> memory;
  begin_.record(stream_);
  std::vector<DeviceSource> from;
  for (const io::Picture& source : sources) {
    memory.emplace_back(source.shape().bytes(), stream_);
    from.push_back({source.shape(), memory.back().data()});
    ring_.upload(source.bytes(), memory.back().data(), stream_);
  }
  uploaded_.record(stream_);
  Milliseconds took = compute(work, from, results);
  took.upload = uploaded_.microseconds_since(begin_) / 1000;
  return took;
}

PicturesOnGpu::Milliseconds PicturesOnGpu::compute(const Work& work, DeviceSource source,
                                                   std::span<io::Picture> results) {
  return compute(work, std::span<const DeviceSource>(&source, 1), results);
}

PicturesOnGpu::Milliseconds PicturesOnGpu::compute(const Work& work,
                                                   std::span<const DeviceSource> from,
                                                   std::span<io::Picture> results) {
  std::vector<gpu::Buffer> memory;
  std::vector<DeviceResult> to;
  for (const io::Picture& result : results) {
    memory.emplace_back(result.shape().bytes(), stream_);
    to.push_back({result.shape(), memory.back().data()});
  }

  if (!is_warm_) work(from, to, stream_);
  is_warm_ = true;
  start_.record(stream_);
  work(from, to, stream_);
  end_.record(stream_);
  end_.synchronize();
  const Stopwatch download;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ring_.download(memory[i].data(), results[i].bytes(), stream_);
  }
  return {0, end_.microseconds_since(start_) / 1000, download.milliseconds()};
}

}  // namespace warpwise::live
