// Measures the rate of frames that are copied from page-locked memory to the GPU, and whose results
// are copied back.

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "bench/live_bench.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::bench {
namespace {

constexpr std::size_t copies = 20;  // number of copies, or of frames, in a round of work
constexpr std::int64_t frames_of_a_run = 20000;
constexpr int runs = 3;
constexpr double camera_fps = 60;
constexpr std::int64_t camera_frames = 600;

// Copies a frame's bytes up or down, one copy after another on a stream of its own.
class Traffic {
 public:
  explicit Traffic(std::int64_t bytes) : host_(bytes), device_(bytes, stream_) {
    std::fill_n(host_.data(), bytes, std::byte{1});
    stream_.synchronize();
  }
  void up() { gpu::upload(host_.data(), device_.data(), host_.bytes(), stream_); }
  void down() { gpu::download(device_.data(), host_.data(), host_.bytes(), stream_); }
  void wait() const { stream_.synchronize(); }

 private:
  gpu::Stream stream_;
  gpu::HostBuffer host_;
  gpu::Buffer device_;
};

// Times of copies over the bus alone.
struct Bus {
  Times upload;
  Times download;
  Times both;
};

Bus measure_bus(const live::Pipeline& pipeline) {
  Traffic up(pipeline.source().shape.bytes());
  Traffic down(pipeline.result().shape.bytes());
  const auto time = [&](bool is_up, bool is_down) {
    return seconds_a_frame(copies, [&](std::int64_t times) {
      for (std::int64_t n = 0; n < times * static_cast<std::int64_t>(copies); ++n) {
        if (is_up) up.up();
        if (is_down) down.down();
      }
      up.wait();
      down.wait();
    });
  };
  return {time(true, false), time(false, true), time(true, true)};
}

std::vector<std::unique_ptr<live::Lane>> filled_lanes(const Problem& problem, std::size_t count) {
  auto lanes = live::gpu_lanes(problem.pipeline, count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto frame = problem.frame(i);
    std::copy(frame.begin(), frame.end(), lanes[i]->source().begin());
    lanes[i]->compute();
    problem.require(i, lanes[i]->result());
  }
  return lanes;
}

// Times `count` lanes, each on its own thread, without a source or a sink.
Times lanes_alone(const Problem& problem, std::size_t count) {
  const auto lanes = filled_lanes(problem, count);
  return seconds_a_frame(count * copies, [&](std::int64_t times) {
    std::vector<std::thread> threads;
    for (const auto& lane : lanes) {
      threads.emplace_back([&lane = *lane, times] {
        for (std::int64_t n = 0; n < times * static_cast<std::int64_t>(copies); ++n) lane.compute();
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

// Times lanes as in `warpwise stream`, with a source and a sink that take no time.
Times lanes_of_a_run(const Problem& problem) {
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const live::Summary summary = run_through(memory_source(problem.pipeline.source()),
                                              filled_lanes(problem, live::lane_count_for(workers)),
                                              {.frames = frames_of_a_run, .workers = workers});
    seconds.push_back(1 / fps_of(summary));
  }
  return summary_of(seconds);
}

}  // namespace

nlohmann::json streamed(const Problem& problem) {
  const Bus bus = measure_bus(problem.pipeline);
  fmt::print("bus: up {:.1f} us, down {:.1f} us, both {:.1f} us: {:.0f} frames a second\n",
             1e6 * bus.upload.median, 1e6 * bus.download.median, 1e6 * bus.both.median,
             1 / bus.both.median);
  const auto row_of = [&](const std::string& name, std::size_t lanes, const Times& times) {
    const double share = bus.both.median / times.median;
    fmt::print("streamed: {}: {:.0f} frames a second, {:.1f} % of the bus\n", name,
               1 / times.median, 100 * share);
    nlohmann::json row = {{"name", name}, {"lanes", lanes}, {"share_of_bus", share}};
    row.update(json_of(times));
    return row;
  };
  nlohmann::json rows = nlohmann::json::array();
  for (const std::size_t count : {1, 2, 3, 4, 6}) {
    rows.push_back(
        row_of(fmt::format("lanes alone, {}", count), count, lanes_alone(problem, count)));
  }
  rows.push_back(row_of("as warpwise stream runs them", workers, lanes_of_a_run(problem)));
  return {{"bus",
           {{"upload", json_of(bus.upload)},
            {"download", json_of(bus.download)},
            {"both", json_of(bus.both)}}},
          {"rows", rows}};
}

nlohmann::json latency(const Problem& problem) {
  const live::Summary summary =
      run_through(memory_source(problem.pipeline.source(), camera_fps),
                  filled_lanes(problem, live::lane_count_for(workers)),
                  {.realtime = true, .frames = camera_frames, .workers = workers});
  fmt::print("latency at {} frames a second: {:.3f} ms, p99 {:.3f} ms, {} dropped\n", camera_fps,
             summary.age_median, summary.age_p99, summary.dropped);
  return {{"fps", camera_fps},
          {"frames", summary.written},
          {"dropped", summary.dropped},
          {"median_ms", summary.age_median},
          {"p99_ms", summary.age_p99}};
}

}  // namespace warpwise::bench
