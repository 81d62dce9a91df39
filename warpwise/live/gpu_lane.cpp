#include <algorithm>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/device_steps.hpp"
#include "warpwise/live/lane.hpp"

namespace warpwise::live {
namespace {

// Number of timed runs before the first frame. They measure each step, because a graph can be timed
// only as a whole.
constexpr int rehearsals = 10;

class GpuLane final : public Lane {
 public:
  GpuLane(const Pipeline& pipeline, std::shared_ptr<gpu::Stream> stream, OnGpu on_gpu)
      : pipeline_(pipeline), stream_(std::move(stream)), on_gpu_(on_gpu),
        source_(on_gpu.source ? 0 : pipeline.source().shape.bytes()),
        result_(pipeline.result().shape.bytes()),
        source_on_device_(pipeline.source().shape.bytes(), *stream_),
        result_on_device_(pipeline.result().shape.bytes(), *stream_),
        to_{pipeline.result().shape, result_on_device_.data()}, steps_(pipeline, *stream_) {
    times_.steps.resize(pipeline.steps().size());
  }

  // Measures the steps on a blank frame, then records the graph. Must not be called for a stateful
  // pipeline, because its stages would remember the blank frame.
  void record() {
    std::fill_n(source_.data(), source_.bytes(), std::byte{0});
    if (on_gpu_.source)
      gpu::fill_bytes(source_on_device_.data(), 0, source_on_device_.bytes(), *stream_);
    rehearse();
    graph_.emplace([this](gpu::StreamHandle stream) { enqueue(stream); });
  }

  std::span<std::byte> source() override {
    return {source_.data(), static_cast<std::size_t>(source_.bytes())};
  }
  bool read(Source& source) override {
    if (!on_gpu_.source) return Lane::read(source);
    gpu::set_device(device_);  // each thread has its own current device
    if (!source.next_on_gpu(source_on_device_.data(), *stream_)) return false;
    // Waits here until the frame is complete. A wait inside OpenGL would also wait for other frames
    // in its queue.
    done_.record(*stream_);
    done_.synchronize();
    return true;
  }
  void copy_source_from(Lane& other) override {
    if (!on_gpu_.source) return Lane::copy_source_from(other);
    gpu::set_device(device_);
    const auto& same = static_cast<const GpuLane&>(other);
    gpu::copy_bytes(same.source_on_device_.data(), source_on_device_.data(),
                    source_on_device_.bytes(), *stream_);
  }
  std::span<const std::byte> result() const override {
    if (on_gpu_.result) fetch();
    return {result_.data(), static_cast<std::size_t>(result_.bytes())};
  }
  const std::byte* result_on_gpu() const override { return on_gpu_.result ? last_ : nullptr; }
  const Milliseconds& milliseconds() const override { return times_; }

  void compute() override {
    gpu::set_device(device_);  // each thread has its own current device
    if (!graph_) {
      add_to_times(run_timed());
      return;
    }
    graph_->launch(*stream_);
    done_.record(*stream_);
    done_.synchronize();
    add_to_times(rehearsed_);
  }

 private:
  void fetch() const {
    gpu::set_device(device_);
    gpu::download(last_, result_.data(), result_.bytes(), *stream_);
    stream_->synchronize();
  }

  void upload(gpu::StreamHandle stream) {
    gpu::upload(source_.data(), source_on_device_.data(), source_.bytes(), stream);
  }

  void download(DeviceSource from, gpu::StreamHandle stream) {
    gpu::download(static_cast<const std::byte*>(from.data), result_.data(), result_.bytes(),
                  stream);
  }

  void enqueue(gpu::StreamHandle stream) {
    if (!on_gpu_.source) upload(stream);
    const DeviceSource from{pipeline_.source().shape, source_on_device_.data()};
    const DeviceSource last = steps_.run(from, {&to_, 1}, stream);
    if (!on_gpu_.result) download(last, stream);
    last_ = static_cast<const std::byte*>(last.data);
  }

  // Runs `work` between two events and returns its time on the stream in milliseconds.
  template <class Work>
  double timed(const Work& work) {
    begin_.record(*stream_);
    work();
    done_.record(*stream_);
    done_.synchronize();
    return done_.microseconds_since(begin_) / 1000;
  }

  Milliseconds run_timed() {
    Milliseconds took;
    DeviceSource from{pipeline_.source().shape, source_on_device_.data()};
    if (!on_gpu_.source) took.upload = timed([&] { upload(*stream_); });
    for (std::size_t i = 0; i < pipeline_.steps().size(); ++i) {
      took.steps.push_back(timed([&] { from = steps_.run_step(i, from, {&to_, 1}, *stream_); }));
    }
    if (!on_gpu_.result) took.download = timed([&] { download(from, *stream_); });
    last_ = static_cast<const std::byte*>(from.data);
    return took;
  }

  // Keeps the shortest time of each step and transfer. The first run is not timed, because it loads
  // the kernels.
  void rehearse() {
    enqueue(*stream_);
    rehearsed_ = run_timed();
    for (int n = 1; n < rehearsals; ++n) {
      const Milliseconds again = run_timed();
      rehearsed_.upload = std::min(rehearsed_.upload, again.upload);
      rehearsed_.download = std::min(rehearsed_.download, again.download);
      for (std::size_t i = 0; i < rehearsed_.steps.size(); ++i) {
        rehearsed_.steps[i] = std::min(rehearsed_.steps[i], again.steps[i]);
      }
    }
  }

  void add_to_times(const Milliseconds& took) {
    times_.upload += took.upload;
    times_.download += took.download;
    for (std::size_t i = 0; i < took.steps.size(); ++i) times_.steps[i] += took.steps[i];
  }

  const Pipeline& pipeline_;
  int device_ = gpu::current_device();
  std::shared_ptr<gpu::Stream> stream_;
  OnGpu on_gpu_;
  gpu::HostBuffer source_;
  gpu::HostBuffer result_;
  gpu::Buffer source_on_device_;
  gpu::Buffer result_on_device_;
  DeviceResult to_;  // view of result_on_device_ for writing
  DeviceSteps steps_;
  const std::byte* last_ = nullptr;  // the pipeline's result in GPU memory
  gpu::Event begin_;
  gpu::Event done_;
  std::optional<gpu::Graph> graph_;
  Milliseconds rehearsed_;
  Milliseconds times_;
};

// Owns a stream. Releases the memory that stages keep on the stream before the stream ends.
class StreamOfStages {
 public:
  explicit StreamOfStages(const Pipeline& pipeline) : pipeline_(pipeline) {}
  ~StreamOfStages() {
    for (const Step& step : pipeline_.steps()) {
      if (step.stage) step.stage->release();
    }
  }
  StreamOfStages(const StreamOfStages&) = delete;
  StreamOfStages& operator=(const StreamOfStages&) = delete;

  gpu::Stream stream;

 private:
  const Pipeline& pipeline_;
};

std::shared_ptr<gpu::Stream> stream_for(const Pipeline& pipeline) {
  if (!pipeline.is_stateful()) return std::make_shared<gpu::Stream>();
  const auto both = std::make_shared<StreamOfStages>(pipeline);
  return {both, &both->stream};
}

}  // namespace

std::vector<std::unique_ptr<Lane>> gpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             OnGpu on_gpu) {
  std::vector<std::unique_ptr<Lane>> lanes;
  std::shared_ptr<gpu::Stream> stream;
  for (std::size_t i = 0; i < count; ++i) {
    if (!stream || !pipeline.is_stateful()) stream = stream_for(pipeline);
    auto lane = std::make_unique<GpuLane>(pipeline, stream, on_gpu);
    if (pipeline.is_recordable()) lane->record();
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

}  // namespace warpwise::live
