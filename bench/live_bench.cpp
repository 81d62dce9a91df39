// The program live_bench measures the stages and lanes of `warpwise stream` on a GPU, beside the
// rates of the GPU's memory and of the bus alone, all in one run. Every result is first compared
// with the CPU's.
//
//   live_bench [--json FILE] [--machine FILE] [--part NAME]
//
// --machine: a JSON file that describes the machine; its keys are added to the report. --part: runs
// only resident, streamed, latency, conversion or deep.

#include "bench/live_bench.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "bench/rung_stage.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/sources.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::size_t frames_that_differ = 8;    // number of different frames in a pattern
constexpr std::size_t frames_beyond_cache = 24;  // 155 MB with their results, more than L2 has

live::Stream stream_of(PixelFormat format) {
  return live::stream_of(format, width, height, {60, 1});
}

live::Pipeline pipeline_of(Stages stages, PixelFormat from) {
  return {std::move(stages), stream_of(from), *live::null_sink()};
}

std::vector<Bytes> frames_of_pattern(PixelFormat format) {
  live::SourceOptions options;
  options.format = format;
  options.width = width;
  options.height = height;
  const auto source = live::pattern_source("zone", options);
  std::vector<Bytes> frames(frames_that_differ);
  for (Bytes& frame : frames) {
    frame.resize(static_cast<std::size_t>(source->stream().shape.bytes()));
    source->next(frame);
  }
  return frames;
}

class MemorySource final : public live::Source {
 public:
  MemorySource(const live::Stream& stream, std::optional<double> fps)
      : Source("memory", stream), fps_(fps) {}

  bool next(std::span<std::byte>) override {
    if (!start_) start_ = Clock::now();
    if (fps_) std::this_thread::sleep_until(*start_ + as_duration(number_ / *fps_));
    ++number_;
    return true;
  }
  bool is_live() const override { return fps_.has_value(); }

 private:
  static Clock::duration as_duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  std::optional<double> fps_;
  double number_ = 0;
  std::optional<Clock::time_point> start_;  // time at which the first frame was taken
};

// ---- the comparison of RGB24 to 32-bit YCbCr in the documents

Stages shipped() {
  // The ladder's kernels use BT.601. Without this option, HD frames would be converted by BT.709.
  return {live::convert_stage("ycbcr32", PixelFormat::ycbcr32, {.matrix = Matrix::bt601})};
}

json row_of(const std::string& name, const Times& computing, const live::Summary& whole) {
  fmt::print("conversion: {}: {:.2f} us, {:.0f} frames a second, {:.0f} from the source\n", name,
             1e6 * computing.median, 1 / computing.median, fps_of(whole));
  json row = {{"name", name}, {"fps_from_source", fps_of(whole)}};
  row.update(json_of(computing));
  return row;
}

json row_of_gpu(const std::string& name, const MakeStages& stages) {
  const Problem problem(stages, PixelFormat::rgb24, shipped);
  const Times computing = resident(problem, 1, frames_beyond_cache);
  const live::Summary whole =
      run_through(live::pattern_source("zone", {}),
                  live::gpu_lanes(problem.pipeline, live::lane_count_for(workers)),
                  {.frames = 4000, .workers = workers});
  return row_of(name, computing, whole);
}

json row_of_cpu(const std::string& name, std::size_t threads) {
  const live::Pipeline pipeline = pipeline_of(shipped(), PixelFormat::rgb24);
  const auto through = [&](std::shared_ptr<live::Source> source) {
    return run_through(std::move(source),
                       live::cpu_lanes(pipeline, live::lane_count_for(threads), 1),
                       {.frames = 2000, .workers = threads});
  };
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i)
    seconds.push_back(1 / fps_of(through(memory_source(pipeline.source()))));
  return row_of(name, summary_of(seconds), through(live::pattern_source("zone", {})));
}

json conversions() {
  json rows = json::array();
  for (const char* rung : {"unoptimised", "input", "output", "input_output"}) {
    rows.push_back(row_of_gpu(rung, [&] { return Stages{rung_stage(rung)}; }));
  }
  rows.push_back(row_of_gpu("shipped", shipped));
  rows.push_back(row_of_cpu("CPU, one thread", 1));
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  rows.push_back(row_of_cpu(fmt::format("CPU, {} threads", threads), threads));
  return rows;
}

// ---- the report

std::string method() {
  return fmt::format(
      "{}x{} rgb24; medians of {} rounds of about {} s; resident: frames and results in the GPU's "
      "memory, those of a stream one after another, as a graph; floors: the bytes of each step, or "
      "of the first source and the last result, at the rate of a device-to-device copy; streamed: "
      "page-locked memory, lanes as of warpwise stream, beside copies of the same bytes alone; "
      "latency: from a frame's arrival to the end of its download; conversion: frames one after "
      "another without the bus, and from test:zone as warpwise stream runs them; deep: noise from "
      "page-locked memory, lanes as of warpwise stream, the conversion by kernels and by the host; "
      "results compared with the CPU's first",
      width, height, rounds, round_seconds);
}

json machine_of(const std::string& file) {
  const gpu::DeviceInfo device = gpu::device_info(0);
  json machine = {{"gpu", device.name},
                  {"cuda_driver", device.driver_version},
                  {"cuda_runtime", device.runtime_version}};
  if (!file.empty()) machine.update(json::parse(std::ifstream(file)));
  return machine;
}

struct Options {
  std::string json;
  std::string machine;
  std::string part;
};

void run_all(const Options& options) {
  gpu::require_device();
  const gpu::Stream stream;
  lab::GpuTimer timer(gpu::device_info(0), stream);
  const double roof = timer.copy_roof_gb_per_s();
  fmt::print("a device-to-device copy: {:.0f} GB/s\n", roof);
  const Problem problem(chain, PixelFormat::rgb24);
  json report = {{"machine", machine_of(options.machine)},
                 {"method", method()},
                 {"steps", problem.pipeline.text()},
                 {"copy_gb_per_s", roof}};
  const std::pair<std::string, std::function<json()>> parts[] = {
      {"resident", [&] { return resident_rows(roof); }},
      {"streamed", [&] { return streamed(problem); }},
      {"latency", [&] { return latency(problem); }},
      {"conversion", conversions},
      {"deep", deep_rows}};
  for (const auto& [name, measure] : parts) {
    if (options.part.empty() || options.part == name) report[name] = measure();
  }
  if (!options.json.empty()) std::ofstream(options.json) << report.dump(1) << "\n";
}

}  // namespace

Problem::Problem(const MakeStages& stages, PixelFormat from, const MakeStages& on_cpu)
    : pipeline(pipeline_of(stages(), from)), frames(frames_of_pattern(from)) {
  const live::Pipeline of_cpu = pipeline_of(on_cpu ? on_cpu() : stages(), from);
  const auto lanes = live::cpu_lanes(of_cpu, 1, 1);
  for (const Bytes& each : frames) {
    std::copy(each.begin(), each.end(), lanes[0]->source().begin());
    lanes[0]->compute();
    results.emplace_back(lanes[0]->result().begin(), lanes[0]->result().end());
  }
}

void Problem::require(std::size_t number, std::span<const std::byte> got) const {
  if (std::ranges::equal(results[number % results.size()], got)) return;
  throw Error(pipeline.text() + " gives other bytes than the CPU: nothing is timed");
}

Stages chain() {
  return {live::convert_stage("ycbcr32", PixelFormat::ycbcr32), live::sobel_stage("sobel"),
          live::threshold_stage("threshold window=31 offset=7", {.window = 31, .offset = 7})};
}

Times summary_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

json json_of(const Times& times) {
  return {{"us", 1e6 * times.median},
          {"fps", 1 / times.median},
          {"fps_least", 1 / times.most},
          {"fps_most", 1 / times.least}};
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::shared_ptr<live::Source> memory_source(const live::Stream& stream, std::optional<double> fps) {
  return std::make_shared<MemorySource>(stream, fps);
}

live::Summary run_through(std::shared_ptr<live::Source> source,
                          std::vector<std::unique_ptr<live::Lane>> lanes,
                          const live::RunOptions& options) {
  live::Summary summary = live::run(std::move(source), std::move(lanes), live::null_sink(), options,
                                    {[] { return false; }, [](const live::Progress&) {}});
  if (summary.failure) std::rethrow_exception(summary.failure);
  return summary;
}

double fps_of(const live::Summary& summary) {
  return static_cast<double>(summary.written) / summary.seconds;
}

}  // namespace warpwise::bench

int main(int argc, char** argv) {
  warpwise::bench::Options options;
  const std::map<std::string, std::string*> places = {
      {"--json", &options.json}, {"--machine", &options.machine}, {"--part", &options.part}};
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const auto place = places.find(arguments[i]);
    if (place == places.end() || i + 1 == arguments.size()) {
      fmt::print(stderr, "live_bench [--json FILE] [--machine FILE] [--part NAME]\n");
      return 2;
    }
    *place->second = arguments[i + 1];
  }
  try {
    warpwise::bench::run_all(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "live_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
