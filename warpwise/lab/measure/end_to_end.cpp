#include "warpwise/lab/measure/end_to_end.hpp"

#include <algorithm>
#include <array>

#include "warpwise/base/stopwatch.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::lab {
namespace {

constexpr int least_samples = 5;
constexpr double enough_us = 250'000;
constexpr double patience_us = 3'000'000;  // limit for the samples of slow steps
constexpr int most_samples = 1000;

// Calls `once` to warm up, then until the samples are enough. The first call is not a sample.
template <class Once>
std::vector<Sample> samples_of(const Once& once) {
  once();
  std::vector<Sample> samples;
  double total = 0;
  const auto go_on = [&] {
    const auto count = static_cast<int>(samples.size());
    if (count < least_samples) return total < patience_us;
    return total < enough_us && count < most_samples;
  };
  while (go_on()) {
    samples.push_back({.us = once()});
    total += samples.back().us;
  }
  return samples;
}

void upload(const TransferStep& step, const gpu::Stream& stream) {
  for (const HostCopy& each : step.up) gpu::upload(each.host, each.device, each.bytes, stream);
}

void download(const TransferStep& step, const gpu::Stream& stream) {
  for (const HostCopy& each : step.down) gpu::download(each.device, each.host, each.bytes, stream);
}

// Times a step as a whole, and its upload, its kernels and its download by events between them.
void time_one_step(const TransferStep& step, EndToEnd& result) {
  const gpu::Stream stream;
  std::array<gpu::Event, 4> events;
  std::array<std::vector<Sample>, 3> parts;
  const auto once = [&] {
    const Stopwatch clock;
    events[0].record(stream);
    upload(step, stream);
    events[1].record(stream);
    step.kernels(stream);
    events[2].record(stream);
    download(step, stream);
    events[3].record(stream);
    stream.synchronize();
    const double us = clock.microseconds();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].push_back({.us = events[i + 1].microseconds_since(events[i])});
    }
    return us;
  };
  result.total = summary_of(samples_of(once));
  const auto median = [](const std::vector<Sample>& samples) {
    return summary_of(std::span(samples).subspan(1)).median_us;  // without the warm-up
  };
  if (!step.up.empty()) result.upload_us = median(parts[0]);
  result.kernel_us = median(parts[1]);
  if (!step.down.empty()) result.download_us = median(parts[2]);
}

}  // namespace

EndToEnd time_end_to_end(std::span<const TransferStep> steps) {
  EndToEnd result;
  for (const TransferStep& step : steps) {
    for (const HostCopy& each : step.up) result.bytes_up += each.bytes;
    for (const HostCopy& each : step.down) result.bytes_down += each.bytes;
  }
  if (steps.size() == 1) {
    time_one_step(steps.front(), result);
    return result;
  }
  // While one stream uploads, the second can compute and the third can download.
  const std::array<gpu::Stream, 3> streams;
  result.total = summary_of(samples_of([&] {
    const Stopwatch clock;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const gpu::Stream& stream = streams[i % streams.size()];
      upload(steps[i], stream);
      steps[i].kernels(stream);
      download(steps[i], stream);
    }
    for (const gpu::Stream& each : streams) each.synchronize();
    return clock.microseconds();
  }));
  return result;
}

BusLimit bus_limit() {
  constexpr std::int64_t bytes = 256 << 20;
  const gpu::Stream up;
  const gpu::Stream down;
  const gpu::HostBuffer from(bytes);
  const gpu::HostBuffer to(bytes);
  const gpu::Buffer device_to(bytes, up);
  const gpu::Buffer device_from(bytes, down);
  gpu::fill_bytes(device_from.data(), 0, bytes, down);
  const auto rate = [&](bool upwards, bool downwards) {
    const std::vector<Sample> samples = samples_of([&] {
      const Stopwatch clock;
      if (upwards) gpu::upload(from.data(), device_to.data(), bytes, up);
      if (downwards) gpu::download(device_from.data(), to.data(), bytes, down);
      up.synchronize();
      down.synchronize();
      return clock.microseconds();
    });
    const double moved = static_cast<double>(bytes) * (int{upwards} + int{downwards});
    return moved / summary_of(samples).median_us / 1000;
  };
  return {.up_gb_per_s = rate(true, false),
          .down_gb_per_s = rate(false, true),
          .both_gb_per_s = rate(true, true)};
}

}  // namespace warpwise::lab
