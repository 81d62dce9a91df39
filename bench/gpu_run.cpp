#include "bench/gpu_run.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"

namespace warpwise::bench {
namespace {

constexpr const char* method =
    "median of runs with nothing of theirs in L2, which is flushed before each, a spinning "
    "kernel hiding the launch, timed by events; 5th and 95th percentile; batch_us is one of "
    "many runs, one behind another on the same operands, as one CUDA graph where a run takes "
    "under 100 us; GB/s counts each input read once and each output written once, by the "
    "first; the roof, measured in the same run, is a device-to-device cudaMemcpyAsync that "
    "moves 1 GiB, or of what hardly writes a kernel that only reads; results of warpwise "
    "verified against its CPU path first; ratio is a peer's median to ours, between low and high "
    "with 99 % by order statistics: faster or slower where that is wholly beyond 2 %, the same "
    "where "
    "it is wholly within, else unsure";

bool holds_one_of(const std::string& name, const std::vector<std::string>& filters) {
  return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const auto& filter) {
           return name.find(filter) != std::string::npos;
         });
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

Row run_case(const Case& work, lab::GpuTimer& timer, const lab::TimingOptions& options,
             const gpu::Stream& stream) {
  Row row;
  row.work = work;
  row.roof_gb_per_s = work.hardly_writes ? timer.read_roof_gb_per_s() : timer.copy_roof_gb_per_s();
  try {
    const Prepared prepared = work.prepare(stream);
    prepared.run(stream);
    stream.synchronize();
    if (prepared.verify && !prepared.verify()) {
      row.is_wrong = true;
      row.reason = "wrong result, not timed";
      return row;
    }
    row.times = timer.measure(prepared.run, options);
  } catch (const Error& error) {
    row.reason = error.what();
  }
  return row;
}

// Returns the row in which Warpwise does the same work as a peer's row, or nullptr.
const Row* own_row_of(const Row& peer, const std::vector<Row>& rows) {
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.is_ours() && row.work.primitive == peer.work.primitive &&
           row.work.variant == peer.work.variant && row.work.width == peer.work.width &&
           row.work.height == peer.work.height;
  });
  return same == rows.end() ? nullptr : &*same;
}

// Writes at most 200 samples, which suffice to give the median to 1 %. They are taken at equal
// steps from the order of measuring. If the clock never changed, as is usual, it is written once.
nlohmann::json json_of_samples(const std::vector<lab::Sample>& samples) {
  constexpr std::size_t most = 200;
  const std::size_t count = std::min(most, samples.size());
  std::vector<double> us;
  std::vector<long> mhz;
  for (std::size_t i = 0; i < count; ++i) {
    const lab::Sample& sample = samples[i * samples.size() / count];
    us.push_back(std::round(100 * sample.us) / 100);
    mhz.push_back(std::lround(sample.clock_mhz));
  }
  const bool is_steady =
      std::adjacent_find(mhz.begin(), mhz.end(), std::not_equal_to<>()) == mhz.end();
  if (is_steady && !mhz.empty()) return {{"us", us}, {"sm_clock_mhz", mhz.front()}};
  return {{"us", us}, {"sm_clock_mhz", mhz}};
}

nlohmann::json json_of(const Row& row) {
  nlohmann::json json = {{"primitive", row.work.primitive},
                         {"variant", row.work.variant},
                         {"implementation", row.work.implementation},
                         {"width", row.work.width},
                         {"height", row.work.height},
                         {"bytes", row.work.bytes},
                         {"roof", row.work.hardly_writes ? "read" : "copy"}};
  if (row.is_ours()) json["verified"] = row.times.has_value();
  if (!row.times) {
    json["not_timed"] = row.reason;
    return json;
  }
  const lab::Timing& cold = row.times->cold;
  json.update({{"median_us", cold.median_us},
               {"p5_us", cold.p5_us},
               {"p95_us", cold.p95_us},
               {"batch_us", row.times->batch.median_us},
               {"gb_per_s", row.gb_per_s()},
               {"share_of_roof", row.share_of_roof()},
               {"samples", cold.samples},
               {"dropped", cold.dropped},
               {"sm_clock_mhz", row.times->sm_clock_mhz},
               {"kept_samples", json_of_samples(row.times->cold_samples)}});
  if (row.beside) {
    json["beside"] = bench::json_of(*row.beside);
  }
  return json;
}

}  // namespace

double Row::gb_per_s() const {
  return times ? static_cast<double>(work.bytes) / times->cold.median_us / 1000.0 : 0;
}

std::vector<Case> selected_cases(std::vector<Case> cases,
                                 const std::vector<std::string>& primitives,
                                 const std::vector<std::string>& filters) {
  std::erase_if(cases, [&](const Case& work) {
    const std::string name = work.primitive + " " + work.variant + " " + work.implementation;
    return !is_one_of(work.primitive, primitives) || !holds_one_of(name, filters);
  });
  return cases;
}

std::vector<std::string> primitives_with_cases() {
  std::set<std::string> names;
  for (const Case& work : registered_cases()) names.insert(work.primitive);
  return {names.begin(), names.end()};
}

Run run_cases(const std::vector<Case>& cases, const lab::TimingOptions& options,
              const std::function<void(const Roofs&)>& show_roofs,
              const std::function<void(const Row&)>& show) {
  gpu::require_device();
  Run run{.device = gpu::device_info(0), .roofs = {}, .rows = {}};
  const gpu::Stream stream;
  lab::GpuTimer timer(run.device, stream);
  run.roofs = {timer.copy_roof_gb_per_s(), timer.read_roof_gb_per_s()};
  show_roofs(run.roofs);
  for (const Case& work : cases) {
    Row row = run_case(work, timer, options, stream);
    const Row* const own = row.is_ours() ? nullptr : own_row_of(row, run.rows);
    if (own != nullptr && own->times && row.times) {
      row.beside = compare(own->times->cold_samples, row.times->cold_samples);
    }
    show(row);
    run.rows.push_back(std::move(row));
  }
  return run;
}

nlohmann::json json_of(const Run& run) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : run.rows) rows.push_back(json_of(row));
  return {{"machine",
           {{"gpu", run.device.name},
            {"compute_capability", fmt::format("{}.{}", run.device.compute_capability_major,
                                               run.device.compute_capability_minor)},
            {"cuda_driver", run.device.driver_version},
            {"cuda_runtime", run.device.runtime_version}}},
          {"method", method},
          {"roof_gb_per_s", run.roofs.copy_gb_per_s},
          {"read_roof_gb_per_s", run.roofs.read_gb_per_s},
          {"rows", rows}};
}

std::string text_of(const nlohmann::json& report) {
  nlohmann::json head = report;
  head.erase("rows");
  std::string text = head.dump(1);
  text.resize(text.rfind('\n'));
  text += ",\n \"rows\": [";
  const char* before = "\n  ";
  for (const nlohmann::json& row : report.at("rows")) {
    text += before + row.dump();
    before = ",\n  ";
  }
  return text + "\n ]\n}\n";
}

void keep_before_and_after(const std::string& path, const nlohmann::json& report,
                           const std::function<void()>& add) {
  const auto keep = [&] {
    const std::string text = text_of(report);
    io::OutputFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.finish();
  };
  if (!path.empty() && !io::written_directly(path)) keep();
  add();
  if (!path.empty()) keep();
}

std::string line_of(const Row& row) {
  const std::string what =
      fmt::format("{:10} {:34} {:28} {:>5}x{:<5}", row.work.primitive, row.work.variant,
                  row.work.implementation, row.work.width, row.work.height);
  if (!row.times) return what + (row.failed() ? " FAILED: " : " skipped: ") + row.reason;
  const lab::Timing& cold = row.times->cold;
  std::string text = fmt::format(
      "{} {:>10.2f} [{:.2f}, {:.2f}] us {:>7.0f} GB/s {:>4.0f} % of {}, batch {:.2f} us", what,
      cold.median_us, cold.p5_us, cold.p95_us, row.gb_per_s(), 100 * row.share_of_roof(),
      row.work.hardly_writes ? "reads" : "the copy", row.times->batch.median_us);
  if (row.is_ours()) text += ", verified";
  if (row.beside) {
    text += fmt::format(", {:.2f}x our time: warpwise is {}", row.beside->ratio,
                        name_of(row.beside->verdict));
  }
  return text;
}

}  // namespace warpwise::bench
