// The program gpu_bench: verifies, then times every registered case beside its peers and the copy
// roof, in one run.

#include "bench/gpu_harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/graph.hpp"

namespace warpwise::bench {
namespace {

std::vector<std::function<std::vector<Case>()>>& registry() {
  static std::vector<std::function<std::vector<Case>()>> registrations;
  return registrations;
}

struct Timing {
  double median_us = 0;
  double low_us = 0;   ///< 5th percentile
  double high_us = 0;  ///< 95th percentile
  int samples = 0;
  int runs_per_sample = 0;
  int sets = 0;
};

// A launch and its two events cost some microseconds: a sample holds enough runs to make that less
// than a per cent.
constexpr double sample_us = 1000;
constexpr double budget_us = 200'000;
constexpr int minimum_samples = 30;
constexpr int maximum_runs_per_sample = 500;
// Twice what the largest L2 caches hold, so that a set is gone when its turn comes again.
constexpr std::int64_t footprint_bytes = 256LL << 20;

int sets_for(const Case& work) {
  return static_cast<int>(
      std::clamp<std::int64_t>(footprint_bytes / std::max<std::int64_t>(work.bytes, 1) + 1, 2, 64));
}

// Runs that take longer than this hide their launches from a stream; shorter ones go into a graph.
// (A graph is no neutral place for long ones: the driver's copy of 1 GiB is a third slower in it.)
constexpr double graph_below_us = 100;

/// Microseconds of one call of `work` on the stream.
double time_of(const std::function<void(gpu::StreamHandle)>& work, const gpu::Stream& stream) {
  gpu::Event start;
  gpu::Event stop;
  start.record(stream);
  work(stream);
  stop.record(stream);
  stop.synchronize();
  return stop.microseconds_since(start);
}

Timing measure(const Work& run, int sets, const gpu::Stream& stream) {
  const auto runs_of = [&](int runs) {
    return [&run, runs, sets](gpu::StreamHandle s) {
      for (int i = 0; i < runs; ++i) run(i % sets, s);
    };
  };
  time_of(runs_of(sets), stream);
  const double estimate = time_of(runs_of(sets), stream) / sets;

  Timing timing;
  timing.sets = sets;
  // Whole rounds through the sets, so that every sample does the same work.
  const double fitting = std::min<double>(sample_us / estimate, maximum_runs_per_sample);
  timing.runs_per_sample = std::max(1, static_cast<int>(fitting / sets)) * sets;
  std::function<void(gpu::StreamHandle)> sample = runs_of(timing.runs_per_sample);
  if (estimate < graph_below_us) {
    const auto graph = std::make_shared<gpu::Graph>(sample);
    sample = [graph](gpu::StreamHandle s) { graph->launch(s); };
  }
  time_of(sample, stream);
  const double samples_in_budget = budget_us / (estimate * timing.runs_per_sample);
  timing.samples = std::max(minimum_samples, static_cast<int>(std::min(300.0, samples_in_budget)));
  std::vector<double> samples;
  for (int i = 0; i < timing.samples; ++i) {
    samples.push_back(time_of(sample, stream) / timing.runs_per_sample);
  }
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
  };
  timing.median_us = at(0.5);
  timing.low_us = at(0.05);
  timing.high_us = at(0.95);
  return timing;
}

struct Options {
  std::vector<std::string>
      filters;  ///< a case runs that has one of them in its name; empty: all do
  std::string json_file;
  std::string machine_file;  ///< JSON that describes the machine, taken into the report
};

struct Row {
  Case work;
  Timing timing;
  double gigabytes_per_second() const {
    return static_cast<double>(work.bytes) / timing.median_us / 1000.0;
  }
};

// Verifies and times one case; says on stdout what became of it.
std::optional<Row> run_case(const Case& work, const gpu::Stream& stream) {
  const int sets = sets_for(work);
  const Prepared prepared = work.prepare(sets, stream);
  prepared.run(0, stream);
  stream.synchronize();
  if (prepared.verify && !prepared.verify()) {
    fmt::print("{:10} {:34} {:28} {:>5}x{:<5} WRONG RESULT, not timed\n", work.primitive,
               work.variant, work.implementation, work.width, work.height);
    return std::nullopt;
  }
  Row row{work, measure(prepared.run, sets, stream)};
  return row;
}

nlohmann::json to_json(const Row& row, double roof) {
  return {{"primitive", row.work.primitive},
          {"variant", row.work.variant},
          {"implementation", row.work.implementation},
          {"width", row.work.width},
          {"height", row.work.height},
          {"bytes", row.work.bytes},
          {"median_us", row.timing.median_us},
          {"p5_us", row.timing.low_us},
          {"p95_us", row.timing.high_us},
          {"gb_per_s", row.gigabytes_per_second()},
          {"share_of_roof", row.gigabytes_per_second() / roof},
          {"samples", row.timing.samples},
          {"runs_per_sample", row.timing.runs_per_sample},
          {"sets", row.timing.sets}};
}

void print_row(const Row& row, double roof) {
  fmt::print(
      "{:10} {:34} {:28} {:>5}x{:<5} {:>10.2f} [{:.2f}, {:.2f}] us {:>7.0f} GB/s {:>4.0f} %\n",
      row.work.primitive, row.work.variant, row.work.implementation, row.work.width,
      row.work.height, row.timing.median_us, row.timing.low_us, row.timing.high_us,
      row.gigabytes_per_second(), 100 * row.gigabytes_per_second() / roof);
  std::fflush(stdout);
}

bool is_asked_for(const std::string& name, const std::vector<std::string>& filters) {
  return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const auto& filter) {
           return name.find(filter) != std::string::npos;
         });
}

int run_all(const Options& options) {
  gpu::require_device();
  const gpu::DeviceInfo device = gpu::device_info(0);
  const gpu::Stream stream;

  std::vector<Case> cases;
  for (const auto& registration : registry()) {
    for (Case& work : registration()) cases.push_back(std::move(work));
  }
  // The roof first: the driver's own copy of 1 GiB.
  std::stable_sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) {
    return (a.primitive == "roof") > (b.primitive == "roof");
  });

  double roof = 1;
  int wrong = 0;
  nlohmann::json rows = nlohmann::json::array();
  for (const Case& work : cases) {
    const bool is_roof = work.primitive == "roof";
    const std::string name = work.primitive + " " + work.variant + " " + work.implementation;
    if (!is_roof && !is_asked_for(name, options.filters)) continue;
    try {
      const std::optional<Row> row = run_case(work, stream);
      if (!row) {
        ++wrong;
        continue;
      }
      if (is_roof) roof = row->gigabytes_per_second();
      print_row(*row, roof);
      rows.push_back(to_json(*row, roof));
    } catch (const Error& error) {
      // A peer that is missing or refuses a size is no failure of ours, but it is said.
      const bool ours = work.implementation == "warpwise";
      wrong += ours ? 1 : 0;
      fmt::print("{:10} {:34} {:28} {:>5}x{:<5} {}: {}\n", work.primitive, work.variant,
                 work.implementation, work.width, work.height, ours ? "FAILED" : "skipped",
                 error.what());
    }
  }
  if (!options.json_file.empty()) {
    nlohmann::json machine = {
        {"gpu", device.name},
        {"compute_capability",
         fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor)},
        {"cuda_driver", device.driver_version},
        {"cuda_runtime", device.runtime_version}};
    if (!options.machine_file.empty()) {
      machine.update(nlohmann::json::parse(std::ifstream(options.machine_file)));
    }
    const nlohmann::json report = {
        {"machine", machine},
        {"method",
         "median of samples, 5th and 95th percentile; a sample is whole rounds through "
         "independent problem sets of 256 MiB or more in all (as one CUDA graph where a run takes "
         "under "
         "100 us), timed by events; GB/s counts "
         "each input read once and each output written once; the roof is a device-to-device "
         "cudaMemcpyAsync "
         "that moves 1 GiB in the same run; results of warpwise verified against its CPU path "
         "first"},
        {"roof_gb_per_s", roof},
        {"rows", rows}};
    std::ofstream(options.json_file) << report.dump(1) << "\n";
  }
  if (wrong > 0) fmt::print("{} cases gave a wrong result or failed\n", wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

Registration::Registration(std::function<std::vector<Case>()> cases) {
  registry().push_back(std::move(cases));
}

std::vector<std::uint8_t> random_bytes(std::int64_t count) {
  std::mt19937_64 random(20261121);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = random();
    for (std::size_t b = 0; b < 8 && i + b < bytes.size(); ++b) {
      bytes[i + b] = static_cast<std::uint8_t>(word >> (8 * b));
    }
  }
  return bytes;
}

}  // namespace warpwise::bench

int main(int argc, char** argv) {
  warpwise::bench::Options options;
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const std::string name = arguments[i];
    if (name == "--filter") options.filters.emplace_back(arguments[i + 1]);  // may be repeated
    if (name == "--json") options.json_file = arguments[i + 1];
    if (name == "--machine") options.machine_file = arguments[i + 1];
  }
  try {
    return warpwise::bench::run_all(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_bench: {}\n", error.what());
    return 1;
  }
}
