// The program gpu_bench: verifies, then times every registered case beside its peers and the roofs,
// in one run.

#include "bench/gpu_harness.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <random>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"

namespace warpwise::bench {
namespace {

std::vector<std::function<std::vector<Case>()>>& registry() {
  static std::vector<std::function<std::vector<Case>()>> registrations;
  return registrations;
}

// A bench has many cases: half of what the laboratory takes for a rung.
constexpr lab::TimingOptions options_of_a_case{
    .cold_seconds = 0.2, .wall_seconds = 0.4, .batch_seconds = 0.1};

struct Options {
  std::vector<std::string>
      filters;  ///< a case runs that has one of them in its name; empty: all do
  std::string json_file;
  std::string machine_file;  ///< JSON that describes the machine, taken into the report
};

struct Row {
  Case work;
  lab::Measurement times;
  double roof = 0;  ///< GB/s, of what limits the case
  double gigabytes_per_second() const {
    return static_cast<double>(work.bytes) / times.cold.median_us / 1000.0;
  }
  double share_of_roof() const { return gigabytes_per_second() / roof; }
};

double roof_of(const Case& work, lab::GpuTimer& timer) {
  return work.hardly_writes ? timer.read_roof_gb_per_s() : timer.copy_roof_gb_per_s();
}

// Verifies and times one case; says on stdout what became of it.
std::optional<Row> run_case(const Case& work, lab::GpuTimer& timer, const gpu::Stream& stream) {
  const Prepared prepared = work.prepare(stream);
  prepared.run(stream);
  stream.synchronize();
  if (prepared.verify && !prepared.verify()) {
    fmt::print("{:10} {:34} {:28} {:>5}x{:<5} WRONG RESULT, not timed\n", work.primitive,
               work.variant, work.implementation, work.width, work.height);
    return std::nullopt;
  }
  return Row{work, timer.measure(prepared.run, options_of_a_case), roof_of(work, timer)};
}

nlohmann::json to_json(const Row& row) {
  const lab::Timing& cold = row.times.cold;
  return {{"primitive", row.work.primitive},
          {"variant", row.work.variant},
          {"implementation", row.work.implementation},
          {"width", row.work.width},
          {"height", row.work.height},
          {"bytes", row.work.bytes},
          {"median_us", cold.median_us},
          {"p5_us", cold.p5_us},
          {"p95_us", cold.p95_us},
          {"batch_us", row.times.batch.median_us},
          {"gb_per_s", row.gigabytes_per_second()},
          {"roof", row.work.hardly_writes ? "read" : "copy"},
          {"share_of_roof", row.share_of_roof()},
          {"samples", cold.samples},
          {"dropped", cold.dropped},
          {"sm_clock_mhz", row.times.sm_clock_mhz}};
}

void print_row(const Row& row) {
  const lab::Timing& cold = row.times.cold;
  fmt::print(
      "{:10} {:34} {:28} {:>5}x{:<5} {:>10.2f} [{:.2f}, {:.2f}] us {:>7.0f} GB/s {:>4.0f} % of {}, "
      "batch {:.2f} us\n",
      row.work.primitive, row.work.variant, row.work.implementation, row.work.width,
      row.work.height, cold.median_us, cold.p5_us, cold.p95_us, row.gigabytes_per_second(),
      100 * row.share_of_roof(), row.work.hardly_writes ? "reads" : "the copy",
      row.times.batch.median_us);
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
  lab::GpuTimer timer(device, stream);
  fmt::print("roofs: the driver's copy {:.0f} GB/s, reads {:.0f} GB/s\n",
             timer.copy_roof_gb_per_s(), timer.read_roof_gb_per_s());
  int wrong = 0;
  nlohmann::json rows = nlohmann::json::array();
  for (const Case& work : cases) {
    const std::string name = work.primitive + " " + work.variant + " " + work.implementation;
    if (!is_asked_for(name, options.filters)) continue;
    try {
      const std::optional<Row> row = run_case(work, timer, stream);
      if (!row) {
        ++wrong;
        continue;
      }
      print_row(*row);
      rows.push_back(to_json(*row));
    } catch (const Error& error) {
      // A peer that is missing or refuses a size does not fail the run; it is reported.
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
         "median of runs with nothing of theirs in L2, which is flushed before each, a spinning "
         "kernel hiding the launch, timed by events; 5th and 95th percentile; batch_us is one of "
         "many runs, one behind another on the same operands, as one CUDA graph where a run takes "
         "under 100 us; GB/s counts each input read once and each output written once, by the "
         "first; the roof, measured in the same run, is a device-to-device cudaMemcpyAsync that "
         "moves 1 GiB, or of what hardly writes a kernel that only reads; results of warpwise "
         "verified against its CPU path first"},
        {"roof_gb_per_s", timer.copy_roof_gb_per_s()},
        {"read_roof_gb_per_s", timer.read_roof_gb_per_s()},
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
