#include "warpwise/lab/exercise/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/exercise/said.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise::lab {
namespace {

using emulator::LineCounts;

// Registers of a thread, assumed for the occupancy. The real number depends on the compiler, and
// marks must not depend on it.
constexpr int assumed_registers = 32;

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

std::uint64_t conflicts(const emulator::MemoryCounts& memory) {
  std::uint64_t sum = 0;
  for (const auto* each : {&memory.shared_load, &memory.shared_store, &memory.shared_atomic})
    sum += each->passes - std::min(each->passes, each->ideal_passes);
  return sum;
}

std::uint64_t sectors(const emulator::MemoryCounts& memory) {
  return memory.global_load.transactions_32 + memory.global_store.transactions_32 +
         memory.global_atomic.transactions_32;
}

std::uint64_t references(const emulator::MemoryCounts& memory) {
  return memory.global_load.references + memory.global_store.references +
         memory.global_atomic.references + memory.texture_references;
}

// Sums a count over all lines, and finds the line with the largest count.
template <class Count>
Counted sum_of(const emulator::LaunchResult& result, const Count& count) {
  Counted sum;
  std::uint64_t most = 0;
  std::uint64_t total = 0;
  for (const LineCounts& line : result.lines) {
    const std::uint64_t value = count(line);
    total += value;
    if (value > most) sum.line = line.line;
    most = std::max(most, value);
  }
  sum.value = static_cast<double>(total);
  return sum;
}

Counted per_element(Counted sum, const CountedLaunch& launch) {
  return {sum.value / launch.elements, sum.line};
}

double occupancy_percent(const CountedLaunch& launch) {
  const rules::BlockResources block = {.threads = launch.threads,
                                       .registers_per_thread = assumed_registers,
                                       .shared_bytes = static_cast<int>(launch.shared_bytes)};
  return 100 * rules::occupancy({9, 0}, block).fraction;
}

}  // namespace

Counted counted(Figure figure, const CountedLaunch& launch) {
  const emulator::LaunchResult& result = launch.result;
  const auto& total = result.totals;
  switch (figure) {
    case Figure::sectors_per_element:
      return per_element(
          sum_of(result, [](const LineCounts& line) { return sectors(line.memory[0]); }), launch);
    case Figure::references_per_element:
      return per_element(
          sum_of(result, [](const LineCounts& line) { return references(line.memory[0]); }),
          launch);
    case Figure::bank_conflicts:
      return sum_of(result, [](const LineCounts& line) { return conflicts(line.memory[0]); });
    case Figure::divergent_branches:
      return sum_of(result,
                    [](const LineCounts& line) { return line.execution.divergent_branches; });
    case Figure::instructions_per_element: {
      constexpr std::uint64_t lanes = 32;
      return per_element(
          sum_of(result,
                 [](const LineCounts& line) { return lanes * line.execution.warp_instructions; }),
          launch);
    }
    case Figure::active_lanes:
      return {ratio(static_cast<double>(total.thread_instructions),
                    static_cast<double>(total.warp_instructions)),
              sum_of(result, [](const LineCounts& line) {
                constexpr std::uint64_t lanes = 32;
                return lanes * line.execution.warp_instructions -
                       line.execution.thread_instructions;
              }).line};
    case Figure::thread_efficiency: {
      const Counted used =
          sum_of(result, [](const LineCounts& line) { return references(line.memory[0]); });
      return {100 * ratio(used.value, static_cast<double>(result.thread_rounds)), 0};
    }
    case Figure::atomic_requests:
      return sum_of(result, [](const LineCounts& line) {
        return line.memory[0].shared_atomic.requests + line.memory[0].global_atomic.requests;
      });
    case Figure::local_requests:
      return sum_of(result, [](const LineCounts& line) {
        return line.memory[0].local_load.requests + line.memory[0].local_store.requests;
      });
    case Figure::occupancy_percent: return {occupancy_percent(launch), 0};
    case Figure::block_cycles: return {launch.block_cycles, 0};
    case Figure::gpu_time_ratio: break;
  }
  return {};
}

std::string words_of(Figure figure, const std::string& element) {
  switch (figure) {
    case Figure::sectors_per_element: return said("sectors of global memory per {}", element);
    case Figure::references_per_element: return said("references of global memory per {}", element);
    case Figure::bank_conflicts: return said("passes of shared memory lost to bank conflicts");
    case Figure::divergent_branches: return said("divergent branches");
    case Figure::instructions_per_element: return said("instructions per {}", element);
    case Figure::active_lanes: return said("active lanes of a warp's 32");
    case Figure::thread_efficiency: return said("per cent of thread efficiency");
    case Figure::atomic_requests: return said("atomic requests");
    case Figure::local_requests: return said("requests of local memory");
    case Figure::occupancy_percent: return said("per cent of occupancy");
    case Figure::block_cycles: return said("cycles per block, modelled");
    case Figure::gpu_time_ratio: return said("times the reference's time on this GPU");
  }
  return "";
}

std::string counts_of(Figure figure, const CountedLaunch& launch, int line) {
  const auto found = std::ranges::find(launch.result.lines, line, &LineCounts::line);
  if (line == 0 || found == launch.result.lines.end()) return "";
  const emulator::MemoryCounts& memory = found->memory[0];
  const emulator::ExecutionCounts& execution = found->execution;
  switch (figure) {
    case Figure::sectors_per_element:
      return said("this line: {} warp loads move {} sectors; {} warp stores move {} sectors",
                  memory.global_load.requests, memory.global_load.transactions_32,
                  memory.global_store.requests, memory.global_store.transactions_32);
    case Figure::references_per_element:
      return said("this line: {} loads and {} stores of threads in global memory",
                  memory.global_load.references, memory.global_store.references);
    case Figure::bank_conflicts:
      return said(
          "this line: {} requests of shared memory, {} passes; the minimum is {}",
          memory.shared_load.requests + memory.shared_store.requests +
              memory.shared_atomic.requests,
          memory.shared_load.passes + memory.shared_store.passes + memory.shared_atomic.passes,
          memory.shared_load.ideal_passes + memory.shared_store.ideal_passes +
              memory.shared_atomic.ideal_passes);
    case Figure::divergent_branches:
      return said("this line: {} branches by warps, {} of them divergent", execution.branches,
                  execution.divergent_branches);
    case Figure::instructions_per_element:
    case Figure::active_lanes:
      return said("this line: {} warp instructions, with {} active lanes on average",
                  execution.warp_instructions,
                  to_text(ratio(static_cast<double>(execution.thread_instructions),
                                static_cast<double>(execution.warp_instructions))));
    default: return "";
  }
}

std::string to_text(double value) {
  constexpr double whole_from = 1000;
  return value < whole_from ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace warpwise::lab
