// Measures conversions of frames with 16 bits a sample or with shared chroma, on a GPU. They run as
// kernels, and on the host between two copies, as `warpwise stream` used to do.

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "bench/live_bench.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::bench {
namespace {

constexpr int deep_rounds = 5;
constexpr double seconds_a_round = 0.5;

// Runs a stage on the host within a lane of the GPU. Waits for the GPU, copies the frame to the
// host, and copies the result back.
class OnHost final : public live::Stage {
 public:
  explicit OnHost(std::unique_ptr<live::Stage> stage)
      : Stage(stage->text()), stage_(std::move(stage)) {}

  std::optional<PixelFormat> required_format(const live::Stream& from) const override {
    return stage_->required_format(from);
  }
  bool accepts_deep_frames() const override { return stage_->accepts_deep_frames(); }
  live::Stream begin(const live::Stream& from) override { return stage_->begin(from); }
  bool is_recordable() const override { return false; }

  void run(live::HostSource from, live::HostResult to) override { stage_->run(from, to); }
  void run(live::DeviceSource from, live::DeviceResult to, gpu::StreamHandle stream) override {
    io::Picture source(from.shape);
    io::Picture result(to.shape);
    gpu::download(static_cast<const std::byte*>(from.data), source.bytes().data(),
                  from.shape.bytes(), stream);
    wait_for(stream);
    stage_->run(live::HostSource{from.shape, source.bytes().data()},
                live::HostResult{to.shape, result.bytes().data()});
    gpu::upload(result.bytes().data(), static_cast<std::byte*>(to.data), to.shape.bytes(), stream);
    wait_for(stream);  // the copy must end before `result` is freed
  }

 private:
  static void wait_for(gpu::StreamHandle stream) {
    gpu::Event done;
    done.record(stream);
    done.synchronize();
  }

  std::unique_ptr<live::Stage> stage_;
};

/// Decides where a stage runs: by kernels, or on the host.
using Place = std::shared_ptr<live::Stage> (*)(std::unique_ptr<live::Stage>);
struct DeepCase {
  const char* name;
  io::PictureShape from;
  Stages (*stages)(Place place);
};

const DeepCase cases[] = {
    {"yuv420p16 | rgb48", io::PictureShape::of(io::DeepPlanes::yuv420, width, height),
     [](Place place) { return Stages{place(live::deep_stage("rgb48", {}))}; }},
    {"yuv420p16 | rgb48 | sobel", io::PictureShape::of(io::DeepPlanes::yuv420, width, height),
     [](Place place) {
       return Stages{place(live::deep_stage("rgb48", {})), live::sobel_stage("sobel")};
     }},
    {"yuv422p16 | 8 bits | rgb24", io::PictureShape::of(io::DeepPlanes::yuv422, width, height),
     [](Place place) {
       return Stages{place(live::narrow_stage()), live::convert_stage("rgb24", PixelFormat::rgb24)};
     }},
    {"rgb48 | yuv420p16", io::PictureShape::interleaved(ElementType::u16, 3, width, height),
     [](Place place) {
       return Stages{place(live::deep_stage("yuv420p16", {io::DeepPlanes::yuv420}))};
     }},
    {"rgb24 | nv12", io::PictureShape::of(PixelFormat::rgb24, width, height),
     [](Place place) { return Stages{place(live::convert_stage("nv12", PixelFormat::nv12))}; }},
};

live::Pipeline pipeline_of(const DeepCase& what, Place place) {
  live::Stream from = live::stream_of(what.from, {60, 1}, {}, {});
  if (!what.from.format) from.depth = 16;
  return {what.stages(place), from, *live::null_sink()};
}

// Fills the lanes with noise, and checks that their results equal the CPU's.
void fill(const live::Pipeline& pipeline, std::span<const std::unique_ptr<live::Lane>> lanes,
          live::Lane& on_cpu) {
  std::mt19937_64 random(1);
  for (const auto& lane : lanes) {
    std::ranges::generate(on_cpu.source(), [&] { return static_cast<std::byte>(random()); });
    std::ranges::copy(on_cpu.source(), lane->source().begin());
    lane->compute();
    on_cpu.compute();
    if (std::ranges::equal(lane->result(), on_cpu.result())) continue;
    throw Error(pipeline.text() + " gives other bytes than the CPU: nothing is timed");
  }
}

// Returns the seconds of a frame, from a source in memory to its result in memory, in a run of
// `frames` frames.
double seconds_of_a_run(const live::Pipeline& pipeline, live::Lane& on_cpu, std::int64_t frames) {
  auto lanes = live::gpu_lanes(pipeline, live::lane_count_for(workers));
  fill(pipeline, lanes, on_cpu);
  return 1 / fps_of(run_through(memory_source(pipeline.source()), std::move(lanes),
                                {.frames = frames, .workers = workers}));
}

Times time_of(const live::Pipeline& pipeline) {
  const auto on_cpu = live::cpu_lanes(pipeline, 1, 0);
  const double first = seconds_of_a_run(pipeline, *on_cpu[0], 2 * workers);
  const auto frames =
      std::max<std::int64_t>(2 * workers, static_cast<std::int64_t>(seconds_a_round / first));
  std::vector<double> seconds;
  for (int i = 0; i < deep_rounds; ++i) {
    seconds.push_back(seconds_of_a_run(pipeline, *on_cpu[0], frames));
  }
  return summary_of(seconds);
}

}  // namespace

nlohmann::json deep_rows() {
  nlohmann::json rows = nlohmann::json::array();
  for (const DeepCase& each : cases) {
    const Times before = time_of(pipeline_of(each, [](std::unique_ptr<live::Stage> stage) {
      return std::shared_ptr<live::Stage>(std::make_shared<OnHost>(std::move(stage)));
    }));
    const Times after = time_of(pipeline_of(each, [](std::unique_ptr<live::Stage> stage) {
      return std::shared_ptr<live::Stage>(std::move(stage));
    }));
    const double times = before.median / after.median;
    fmt::print("deep: {}: host {:.1f} us, kernels {:.1f} us: {:.2f} times as fast\n", each.name,
               1e6 * before.median, 1e6 * after.median, times);
    rows.push_back({{"what", each.name},
                    {"host", json_of(before)},
                    {"kernels", json_of(after)},
                    {"times_as_fast", times}});
  }
  return rows;
}

}  // namespace warpwise::bench
