#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "warpwise/live/run.hpp"

// Declarations that the source files of live_bench share.
namespace warpwise::bench {

using Bytes = std::vector<std::byte>;
using Stages = std::vector<std::shared_ptr<live::Stage>>;
/// Makes the stages of one pipeline; each pipeline has its own.
using MakeStages = std::function<Stages()>;

inline constexpr std::int64_t width = 1280;
inline constexpr std::int64_t height = 720;
inline constexpr int rounds = 7;  ///< a figure is the median of this number of rounds
inline constexpr double round_seconds = 0.1;
/// Number of workers, as in `warpwise stream`.
inline constexpr std::size_t workers = 3;

/// Frames of a format, and the CPU's results for them, which the GPU has to reproduce.
struct Problem {
  /// \param on_cpu  stages for the CPU, if `stages` run on a GPU only
  Problem(const MakeStages& stages, PixelFormat from, const MakeStages& on_cpu = {});

  std::span<const std::byte> frame(std::size_t number) const {
    return frames[number % frames.size()];
  }
  /// \throws Error  `got` is not the CPU's result for frame `number`
  void require(std::size_t number, std::span<const std::byte> got) const;

  live::Pipeline pipeline;
  std::vector<Bytes> frames;  ///< frames of a moving pattern
  std::vector<Bytes> results;
};

/// Returns the stages "ycbcr32 | sobel | threshold window=31 offset=7".
Stages chain();

/// Seconds that one frame takes.
struct Times {
  double median;
  double least;
  double most;
};
Times summary_of(std::vector<double> seconds);
nlohmann::json json_of(const Times& times);

double seconds_since(std::chrono::steady_clock::time_point start);

/// Times `work`. work(n) completes n rounds of `frames` frames; n is chosen so that a call takes
/// about round_seconds. Returns the seconds of one frame.
template <class Work>
Times seconds_a_frame(std::size_t frames, const Work& work) {
  const auto once = [&](std::int64_t times) {
    const auto start = std::chrono::steady_clock::now();
    work(times);
    return seconds_since(start) / static_cast<double>(times);
  };
  once(3);
  const auto times = static_cast<std::int64_t>(std::max(3.0, round_seconds / once(3)));
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) seconds.push_back(once(times) / static_cast<double>(frames));
  return summary_of(seconds);
}

/// Returns a source in memory: it gives `fps` frames a second, or each frame as soon as it is
/// asked.
std::shared_ptr<live::Source> memory_source(const live::Stream& stream,
                                            std::optional<double> fps = std::nullopt);

/// Runs a source through lanes. \throws the exception that ended the run
live::Summary run_through(std::shared_ptr<live::Source> source,
                          std::vector<std::unique_ptr<live::Lane>> lanes,
                          const live::RunOptions& options);
double fps_of(const live::Summary& summary);

/// Measures `frames` frames of the problem in the GPU's memory, where the results stay. The frames
/// are divided among the streams; those of one stream run one after another.
Times resident(const Problem& problem, std::size_t streams, std::size_t frames);
/// Measures chain() and each of its stages. Lower bounds come from the rate of a device-to-device
/// copy.
nlohmann::json resident_rows(double copy_gb_per_s);

/// Measures frames that go from page-locked memory to the GPU and back, beside copies over the bus
/// alone.
nlohmann::json streamed(const Problem& problem);
/// Measures the time from a camera's frame to its finished picture.
nlohmann::json latency(const Problem& problem);

/// Measures conversions of frames of 16 bits a sample, by kernels and by the host.
nlohmann::json deep_rows();

}  // namespace warpwise::bench
