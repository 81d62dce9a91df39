#include "warpwise/lab/study/counters/rung_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpwise/lab/compile/kernel_name.hpp"

namespace warpwise::lab {
namespace {

constexpr std::string_view instructions_metric = "smsp__inst_executed.sum";
constexpr std::string_view thread_instructions = "smsp__thread_inst_executed_pred_on.sum";

using Counted = double (*)(const RungCounts& counts);

struct Pair {
  std::string_view name;
  std::string_view metric;
  Counted counted;
};

double sectors(const emulator::TrafficCounts& counts) {
  return static_cast<double>(counts.transactions_32 + counts.transactions_64 +
                             counts.transactions_128);
}

constexpr Pair pairs[] = {
    {"warp instructions", instructions_metric,
     [](const RungCounts& c) { return static_cast<double>(c.warp_instructions); }},
    {"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     [](const RungCounts& c) { return static_cast<double>(c.global_load.requests); }},
    {"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     [](const RungCounts& c) { return sectors(c.global_load); }},
    {"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     [](const RungCounts& c) { return static_cast<double>(c.global_store.requests); }},
    {"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     [](const RungCounts& c) { return sectors(c.global_store); }},
    {"shared load requests", "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
     [](const RungCounts& c) { return static_cast<double>(c.shared_load.requests); }},
    {"shared load wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     [](const RungCounts& c) { return static_cast<double>(c.shared_load.passes); }},
    {"shared store requests", "smsp__inst_executed_op_shared_st_pred_on_any.sum",
     [](const RungCounts& c) { return static_cast<double>(c.shared_store.requests); }},
    {"shared store wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     [](const RungCounts& c) { return static_cast<double>(c.shared_store.passes); }},
    {"divergent branches", "smsp__sass_branch_targets_threads_divergent.sum",
     [](const RungCounts& c) { return static_cast<double>(c.divergent_branches); }},
};

std::optional<double> value_in(const CounterValues& values, std::string_view metric) {
  const auto found = values.find(metric);
  return found == values.end() ? std::nullopt : std::optional<double>(found->second);
}

std::string grid_text(const emulator::Dim3& grid) {
  return fmt::format("{}x{}x{}", grid.x, grid.y, grid.z);
}

}  // namespace

CounterReading read_counters(Counters& counters, RungRun& run, const Size& size, bool patched) {
  CounterReading reading{size, {}};
  std::vector<CounterValues> values =
      counters.read(run.launches().size(), [&] { run.run(); }, patched);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ladders::Launch& launch = run.launches()[i];
    reading.launches.push_back(
        {plain_name(launch.kernel), dimensions(launch.grid), std::move(values[i])});
  }
  return reading;
}

std::optional<double> value_of(const CounterValues& values, std::string_view metric) {
  const std::optional<double> value = value_in(values, metric);
  return value && !std::isnan(*value) ? value : std::nullopt;
}

std::optional<double> value_of(const CounterReading& reading, std::string_view metric) {
  std::optional<double> sum;
  double most_instructions = -1;
  for (const LaunchCounters& launch : reading.launches) {
    const std::optional<double> value = value_in(launch.values, metric);
    if (!value) return std::nullopt;
    if (metric.ends_with(".sum")) {
      sum = sum.value_or(0) + *value;
      continue;
    }
    const double here = value_in(launch.values, instructions_metric).value_or(0);
    if (here <= most_instructions) continue;
    most_instructions = here;
    sum = value;
  }
  return sum;
}

std::vector<ComparedCount> compared_counts(const RungCounts& counts,
                                           const CounterReading& reading) {
  std::vector<ComparedCount> result;
  for (const Pair& each : pairs) {
    const std::optional<double> measured = value_of(reading, each.metric);
    const double counted = each.counted(counts);
    if (!measured || (*measured == 0 && counted == 0)) continue;
    result.push_back({each.name, each.metric, counted, *measured});
  }
  const std::optional<double> threads = value_of(reading, thread_instructions);
  const std::optional<double> warps = value_of(reading, instructions_metric);
  if (threads && warps.value_or(0) > 0) {
    result.push_back({"active lanes", thread_instructions, counts.active_lanes, *threads / *warps});
  }
  return result;
}

std::string why_not_comparable(const CounterReading& reading,
                               const std::vector<emulator::Dim3>& emulated_grids) {
  const std::size_t launches = reading.launches.size();
  if (launches != emulated_grids.size()) {
    return fmt::format("the GPU runs {} launches, the emulator {}", launches,
                       emulated_grids.size());
  }
  for (std::size_t i = 0; i < launches; ++i) {
    const std::string gpu = grid_text(reading.launches[i].grid);
    const std::string emulated = grid_text(emulated_grids[i]);
    if (gpu != emulated) {
      return fmt::format("the grid of {} is {} on the GPU and {} in the emulator",
                         reading.launches[i].kernel, gpu, emulated);
    }
  }
  return {};
}

}  // namespace warpwise::lab
