// Measures the rate of frames that lie in the GPU's memory and whose results stay there.

#include <fmt/format.h>

#include "bench/live_bench.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/device_steps.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::bench {
namespace {

// Least number of frames in one launch of a graph. The host takes microseconds for a launch,
// however many frames the graph has.
constexpr std::size_t frames_of_a_launch = 96;

// Runs frames on a stream of its own, one after another, recorded as one graph.
class Branch {
 public:
  Branch(const Problem& problem, std::size_t first, std::size_t count)
      : problem_(problem), first_(first), steps_(problem.pipeline, stream_) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto frame = problem.frame(first + i);
      const auto bytes = static_cast<std::int64_t>(frame.size());
      sources_.emplace_back(bytes, stream_);
      results_.emplace_back(problem.pipeline.result().shape.bytes(), stream_);
      gpu::upload(frame.data(), sources_.back().data(), bytes, stream_);
    }
    enqueue(stream_);  // the first run loads and compiles the kernels
    stream_.synchronize();
  }

  // Records all frames of this branch, `passes` times, into one graph.
  void record(std::size_t passes) {
    graph_.emplace([&](gpu::StreamHandle stream) {
      for (std::size_t pass = 0; pass < passes; ++pass) enqueue(stream);
    });
  }

  void launch() { graph_->launch(stream_); }
  void wait() const { stream_.synchronize(); }

  void require_results() const {
    Bytes result(static_cast<std::size_t>(problem_.pipeline.result().shape.bytes()));
    for (std::size_t i = 0; i < results_.size(); ++i) {
      gpu::download(results_[i].data(), result.data(), results_[i].bytes(), stream_);
      wait();
      problem_.require(first_ + i, result);
    }
  }

 private:
  void enqueue(gpu::StreamHandle stream) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const live::DeviceResult result{problem_.pipeline.result().shape, results_[i].data()};
      steps_.run({problem_.pipeline.source().shape, sources_[i].data()}, {&result, 1}, stream);
    }
  }

  const Problem& problem_;
  std::size_t first_;
  gpu::Stream stream_;
  live::DeviceSteps steps_;
  std::vector<gpu::Buffer> sources_;
  std::vector<gpu::Buffer> results_;
  std::optional<gpu::Graph> graph_;
};

// Bytes that a frame moves: `separate` if each stage reads its source and writes its result,
// `fused` if only the first source is read and only the last result is written.
struct FrameBytes {
  std::int64_t separate = 0;
  std::int64_t fused = 0;
};

FrameBytes traffic_of(const live::Pipeline& pipeline) {
  FrameBytes bytes;
  for (const live::Step& step : pipeline.steps()) {
    if (step.stage) bytes.separate += step.from.shape.bytes() + step.to.shape.bytes();
  }
  bytes.fused = pipeline.source().shape.bytes() + pipeline.result().shape.bytes();
  return bytes;
}

MakeStages alone(std::function<std::shared_ptr<live::Stage>()> make) {
  return [make = std::move(make)] { return Stages{make()}; };
}

}  // namespace

Times resident(const Problem& problem, std::size_t streams, std::size_t frames) {
  const std::size_t share = frames / streams;
  const std::size_t passes = std::max<std::size_t>(1, frames_of_a_launch / frames);
  std::vector<std::unique_ptr<Branch>> branches;
  for (std::size_t i = 0; i < streams; ++i) {
    branches.push_back(std::make_unique<Branch>(problem, i * share, share));
    branches.back()->record(passes);
  }
  const auto work = [&](std::int64_t times) {
    for (std::int64_t n = 0; n < times; ++n) {
      for (const auto& branch : branches) branch->launch();
    }
    for (const auto& branch : branches) branch->wait();
  };
  work(1);
  for (const auto& branch : branches) branch->require_results();
  return seconds_a_frame(share * streams * passes, work);
}

nlohmann::json resident_rows(double copy_gb_per_s) {
  struct Part {
    const char* name;
    Problem problem;
    std::vector<std::size_t> frames;
    std::vector<std::size_t> streams;
  };
  const std::vector<std::size_t> in_cache_and_beyond = {4, 8, 96};
  const ThresholdOptions window = {.window = 31, .offset = 7};
  const Part parts[] = {
      {"chain", {chain, PixelFormat::rgb24}, in_cache_and_beyond, {1, 2, 4, 8, 12, 16, 24}},
      {"luma",
       {alone([] { return live::convert_stage("ycbcr32", PixelFormat::ycbcr32)->luma_alone(); }),
        PixelFormat::rgb24},
       {96},
       {1, 8}},
      {"sobel",
       {alone([] { return live::sobel_stage("sobel"); }), PixelFormat::gray8},
       {96},
       {1, 8}},
      {"threshold",
       {alone([&] { return live::threshold_stage("threshold", window); }), PixelFormat::gray8},
       {96},
       {1, 8}}};
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [name, problem, numbers_of_frames, numbers_of_streams] : parts) {
    const FrameBytes traffic = traffic_of(problem.pipeline);
    for (const std::size_t frames : numbers_of_frames) {
      for (const std::size_t streams : numbers_of_streams) {
        if (streams > frames) continue;
        const Times times = resident(problem, streams, frames);
        nlohmann::json row = {
            {"what", name},
            {"frames", frames},
            {"streams", streams},
            {"separate_bytes", traffic.separate},
            {"fused_bytes", traffic.fused},
            {"floor_separate_us", static_cast<double>(traffic.separate) / copy_gb_per_s / 1e3},
            {"floor_fused_us", static_cast<double>(traffic.fused) / copy_gb_per_s / 1e3}};
        row.update(json_of(times));
        fmt::print("resident: {}, {} frames on {} streams: {:.2f} us, {:.0f} frames a second\n",
                   name, frames, streams, 1e6 * times.median, 1 / times.median);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace warpwise::bench
