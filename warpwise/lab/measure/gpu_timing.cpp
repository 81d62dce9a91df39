#include "warpwise/lab/measure/gpu_timing.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/base/stopwatch.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/compile/sources.hpp"

namespace warpwise::lab {

// The cycle counter and the time of a multiprocessor at one moment; same layout as in timing.cu.
struct GpuTimer::Clock {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

namespace {

// Constants with which timing.cu is compiled.
constexpr int roof_chains =
    8;  // independent chains; with 16 warps a scheduler they hide an instruction's latency
constexpr int roof_loads = 4;   // loads of 16 bytes that are in flight at a time
constexpr int roof_steps = 16;  // steps of an iteration, so the loop itself costs about 1 %

constexpr std::int64_t flag_bytes = 64;
// Launching takes the host microseconds. If it takes longer than this, the host was interrupted,
// and the sample is taken again.
constexpr std::uint64_t host_limit_ns = 100'000'000;

std::string compile_helpers(const gpu::DeviceInfo& device, const Toolchain& toolchain) {
  return ptx_for(device, "measure/timing.cu",
                 {"CHAINS=" + std::to_string(roof_chains), "STEPS=" + std::to_string(roof_steps),
                  "LOADS=" + std::to_string(roof_loads)},
                 toolchain);
}

template <class T>
std::span<const std::byte> block_of(const T& arguments) {
  return std::as_bytes(std::span(&arguments, 1));
}

// Two parameters of 8 bytes, as all kernels of timing.cu have.
struct RoofArguments {
  const void* place;
  std::uint64_t number;
};

constexpr std::uint32_t one[3] = {1, 1, 1};

// Ends the kernel wait_for_host when its scope ends, also by an exception.
class Release {
 public:
  explicit Release(std::uint32_t& flag) : flag_(flag) {}
  ~Release() { std::atomic_ref(flag_).store(1, std::memory_order_release); }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;

 private:
  std::uint32_t& flag_;
};

// Returns the microseconds of work on a stream, including its launch.
double time_of(const GpuWork& work, const gpu::Stream& stream) {
  gpu::Event start;
  gpu::Event stop;
  start.record(stream);
  work(stream);
  stop.record(stream);
  stop.synchronize();
  return stop.microseconds_since(start);
}

// Returns the median time of `count` runs. `warm` runs before them raise the clocks.
double median_us(const GpuWork& work, int warm, int count, const gpu::Stream& stream) {
  for (int i = 0; i < warm; ++i) time_of(work, stream);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) samples.push_back({.us = time_of(work, stream)});
  return summary_of(samples).median_us;
}

}  // namespace

std::string ptx_for(const gpu::DeviceInfo& device, const std::string& file,
                    std::vector<std::string> defines, const Toolchain& toolchain) {
  CompileOptions options;
  constexpr int oldest = 75;  // oldest architecture that compilers build for
  options.architecture =
      std::max(10 * device.compute_capability_major + device.compute_capability_minor, oldest);
  options.defines = std::move(defines);
  return compile_file(source_root() / "warpwise/lab" / file, options, toolchain).ptx;
}

GpuTimer::GpuTimer(const gpu::DeviceInfo& device, const gpu::Stream& stream,
                   const Toolchain& toolchain)
    : device_(device), stream_(stream), helpers_(compile_helpers(device, toolchain)),
      read_clocks_(helpers_.kernel("read_clocks")),
      wait_for_host_(helpers_.kernel("wait_for_host")),
      absolute_differences_(helpers_.kernel("absolute_differences")),
      read_words_(helpers_.kernel("read_words")),
      shared_(flag_bytes + 2 * device.multiprocessors * static_cast<std::int64_t>(sizeof(Clock))),
      // Twice the size of L2, so that a flush replaces all of L2's data under any policy.
      flushed_(2 * std::max<std::int64_t>(device.l2_bytes, 16 << 20), stream) {
  std::memset(shared_.data(), 0, static_cast<std::size_t>(shared_.bytes()));
  // The driver loads a kernel at its first launch, and may wait for the GPU then. The driver must
  // not wait while wait_for_host keeps the GPU busy: both would wait for each other.
  *flags() = 1;
  wait_for_host_.launch(one, one, 0, block_of(RoofArguments{flags(), 0}), stream_);
  read_clocks(clocks(0));
  stream_.synchronize();
}

GpuTimer::~GpuTimer() = default;

std::uint32_t* GpuTimer::flags() const { return reinterpret_cast<std::uint32_t*>(shared_.data()); }

std::byte* GpuTimer::clocks(int reading) const {
  const auto one_reading = device_.multiprocessors * static_cast<std::int64_t>(sizeof(Clock));
  return shared_.data() + flag_bytes + reading * one_reading;
}

void GpuTimer::read_clocks(std::byte* to) {
  const auto count = static_cast<std::uint32_t>(device_.multiprocessors);
  const std::uint32_t grid[3] = {count, 1, 1};
  // The blocks are so large that no multiprocessor gets two while another one gets none.
  constexpr std::uint32_t block[3] = {1024, 1, 1};
  read_clocks_.launch(grid, block, 0, block_of(RoofArguments{to, count}), stream_);
}

Sample GpuTimer::clock_between(double us, double& gpu_seconds) const {
  Sample sample{.us = us};
  for (int i = 0; i < device_.multiprocessors; ++i) {
    Clock before;
    Clock after;
    std::memcpy(&before, clocks(0) + i * sizeof(Clock), sizeof(Clock));
    std::memcpy(&after, clocks(1) + i * sizeof(Clock), sizeof(Clock));
    // Skips a multiprocessor on which one of the two readings had no block.
    if (before.nanoseconds == 0 || after.nanoseconds <= before.nanoseconds) continue;
    const auto elapsed = static_cast<double>(after.nanoseconds - before.nanoseconds);
    sample.clock_mhz = 1000 * static_cast<double>(after.cycles - before.cycles) / elapsed;
    gpu_seconds += elapsed / 1e9;
    return sample;
  }
  gpu_seconds += us / 1e6;
  return sample;
}

std::optional<Sample> GpuTimer::cold_sample(const GpuWork& work, bool blocked,
                                            double& gpu_seconds) {
  std::memset(shared_.data(), 0, static_cast<std::size_t>(shared_.bytes()));
  {
    const Release release(flags()[0]);
    // Clocks are read before the flush and after the work. Without the flush, the time between them
    // would be too short for the GPU's timer, which has a resolution of a microsecond.
    read_clocks(clocks(0));
    gpu::fill_bytes(flushed_.data(), 0, flushed_.bytes(), stream_);
    if (blocked) {
      wait_for_host_.launch(one, one, 0, block_of(RoofArguments{flags(), host_limit_ns}), stream_);
    }
    start_.record(stream_);
    work(stream_);
    stop_.record(stream_);
    read_clocks(clocks(1));
  }
  stream_.synchronize();
  if (std::atomic_ref(flags()[1]).load() != 0) return std::nullopt;
  return clock_between(stop_.microseconds_since(start_), gpu_seconds);
}

Timing GpuTimer::cold(const GpuWork& work, const TimingOptions& options, Measurement& measurement) {
  std::vector<Sample> samples;
  double gpu_seconds = 0;
  int late = 0;
  constexpr int late_by_chance = 3;
  auto next_check = static_cast<std::size_t>(options.min_samples);
  const Stopwatch wall;
  while (true) {
    const auto sample = cold_sample(work, late < late_by_chance, gpu_seconds);
    late += sample ? 0 : 1;
    if (sample) samples.push_back(*sample);
    if (static_cast<int>(samples.size()) < options.min_samples) continue;
    if (wall.seconds() >= options.wall_seconds) break;
    if (gpu_seconds < options.cold_seconds || samples.size() < next_check) continue;
    if (have_settled(samples)) break;
    next_check = samples.size() + samples.size() / 8;
  }
  measurement.sm_clock_mhz = median_clock_mhz(samples);
  measurement.launches_hidden = late < late_by_chance;
  measurement.cold_samples = at_full_clock(samples);
  return summary_of(samples);
}

Timing GpuTimer::batch(const GpuWork& once, const TimingOptions& options,
                       Measurement& measurement) {
  const double estimate = median_us(once, 1, 3, stream_);

  constexpr double batch_us = 1000;       // the events take less than a per cent of it
  constexpr int most_runs = 500;          // most runs in a batch, which may be a graph
  constexpr double graph_below_us = 100;  // longer runs hide their launches without a graph
  const int runs =
      std::clamp(static_cast<int>(batch_us / std::max(estimate, 1.0)) + 1, 1, most_runs);
  GpuWork several = [&](gpu::StreamHandle s) {
    for (int i = 0; i < runs; ++i) once(s);
  };
  if (options.graphs && estimate < graph_below_us) {
    several = [graph = std::make_shared<gpu::Graph>(several)](gpu::StreamHandle s) {
      graph->launch(s);
    };
  }
  time_of(several, stream_);

  // For a long run a few samples are enough, since the cold samples have shown its spread.
  constexpr double long_us = 50'000;
  const int least = estimate > long_us ? std::min(3, options.min_samples) : options.min_samples;
  std::vector<Sample> samples;
  const Stopwatch wall;
  while (static_cast<int>(samples.size()) < least || wall.seconds() < options.batch_seconds) {
    samples.push_back({.us = time_of(several, stream_) / runs});
    if (static_cast<int>(samples.size()) >= least && estimate > long_us) break;
  }
  measurement.runs_per_batch = runs;
  return summary_of(samples);
}

Measurement GpuTimer::measure(const GpuWork& work, const TimingOptions& options) {
  // This run makes the driver load the code and allocate local memory; both wait for the GPU.
  work(stream_);
  stream_.synchronize();
  Measurement measurement;
  measurement.cold = cold(work, options, measurement);
  measurement.batch = batch(work, options, measurement);
  return measurement;
}

Transfers GpuTimer::transfers(std::span<const std::uint64_t> inputs,
                              std::span<const std::uint64_t> outputs) {
  std::uint64_t largest = 0;
  for (const auto sizes : {inputs, outputs}) {
    for (const std::uint64_t bytes : sizes) largest = std::max(largest, bytes);
  }
  const gpu::HostBuffer host(static_cast<std::int64_t>(largest));
  const gpu::Buffer device(static_cast<std::int64_t>(largest), stream_);
  gpu::fill_bytes(device.data(), 0, device.bytes(), stream_);
  constexpr int warm = 1;
  constexpr int count = 5;
  Transfers result;
  result.upload_us = median_us(
      [&](gpu::StreamHandle s) {
        for (const std::uint64_t bytes : inputs) {
          gpu::upload(host.data(), device.data(), static_cast<std::int64_t>(bytes), s);
        }
      },
      warm, count, stream_);
  result.download_us = median_us(
      [&](gpu::StreamHandle s) {
        for (const std::uint64_t bytes : outputs) {
          gpu::download(device.data(), host.data(), static_cast<std::int64_t>(bytes), s);
        }
      },
      warm, count, stream_);
  return result;
}

double GpuTimer::copy_roof_gb_per_s() {
  if (copy_roof_) return *copy_roof_;
  constexpr std::int64_t usual = 512 << 20;
  // On a card with less memory, the copied buffers are an eighth of the memory.
  const std::int64_t bytes = std::min(usual, device_.memory_bytes / 8);
  const gpu::Buffer from(bytes, stream_);
  const gpu::Buffer to(bytes, stream_);
  gpu::fill_bytes(from.data(), 1, bytes, stream_);
  const double us =
      median_us([&](gpu::StreamHandle s) { gpu::copy_bytes(from.data(), to.data(), bytes, s); }, 10,
                30, stream_);
  copy_roof_ = 2 * static_cast<double>(bytes) / us / 1000;
  return *copy_roof_;
}

double GpuTimer::read_roof_gb_per_s() {
  if (read_roof_) return *read_roof_;
  constexpr std::int64_t usual = std::int64_t{2} << 30;  // L2 holds only a small part of it
  const std::int64_t bytes = std::min(usual, device_.memory_bytes / 8) / 16 * 16;
  const gpu::Buffer words(bytes, stream_);
  gpu::fill_bytes(words.data(), 1, bytes, stream_);
  const auto count = static_cast<std::uint64_t>(bytes / 16);
  const RoofArguments arguments{words.data(), count};
  double best_us = 0;
  for (const std::uint32_t threads : {256U, 512U, 1024U}) {
    const auto resident = static_cast<std::uint64_t>(
        device_.multiprocessors *
        std::max(1, read_words_.blocks_per_sm(static_cast<int>(threads), 0)));
    // The first grid has the resident blocks, which stride over all words. In the second grid each
    // thread reads only a few words.
    for (const std::uint64_t blocks : {resident, count / (threads * roof_loads) + 1}) {
      const std::uint32_t grid[3] = {static_cast<std::uint32_t>(blocks), 1, 1};
      const std::uint32_t block[3] = {threads, 1, 1};
      const double us = median_us(
          [&](gpu::StreamHandle s) { read_words_.launch(grid, block, 0, block_of(arguments), s); },
          5, 15, stream_);
      best_us = best_us == 0 ? us : std::min(best_us, us);
    }
  }
  read_roof_ = static_cast<double>(bytes) / best_us / 1000;
  return *read_roof_;
}

double GpuTimer::absolute_differences_per_s() {
  if (absolute_differences_rate_) return *absolute_differences_rate_;
  constexpr std::uint32_t block[3] = {256, 1, 1};
  constexpr std::uint64_t turns = 512;  // iterations, which take a millisecond or two
  const auto blocks = static_cast<std::uint32_t>(
      device_.multiprocessors *
      std::max(1, absolute_differences_.blocks_per_sm(static_cast<int>(block[0]), 0)));
  const std::uint32_t grid[3] = {blocks, 1, 1};
  const std::uint64_t threads = std::uint64_t{blocks} * block[0];
  const gpu::Buffer results(static_cast<std::int64_t>(4 * threads), stream_);
  const RoofArguments arguments{results.data(), turns};
  const double us = median_us(
      [&](gpu::StreamHandle s) {
        absolute_differences_.launch(grid, block, 0, block_of(arguments), s);
      },
      10, 30, stream_);
  const double differences = 4.0 * roof_chains * roof_steps * static_cast<double>(turns * threads);
  absolute_differences_rate_ = differences / (us / 1e6);
  return *absolute_differences_rate_;
}

}  // namespace warpwise::lab
