#include "warpwise/lab/exercise/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/rules/rules.hpp"

namespace warpwise::lab {
namespace {

using emulator::LineCounts;

// Registers of a thread that the occupancy is computed with. Those of the machine code differ from
// compiler to compiler, and marks must not.
constexpr int assumed_registers = 32;

double ratio(std::uint64_t a, double b) { return b == 0 ? 0 : static_cast<double>(a) / b; }

std::uint64_t conflicts(const emulator::MemoryCounts& memory) {
  std::uint64_t sum = 0;
  for (const auto* each : {&memory.shared_load, &memory.shared_store, &memory.shared_atomic})
    sum += each->passes - std::min(each->passes, each->ideal_passes);
  return sum;
}

double sectors(const emulator::MemoryCounts& memory) {
  double most = 0;
  for (const auto* each : {&memory.global_load, &memory.global_store, &memory.global_atomic}) {
    constexpr double sector_bytes = 32;
    most = std::max(most,
                    ratio(each->bytes_moved, sector_bytes * static_cast<double>(each->requests)));
  }
  return most;
}

std::uint64_t references(const emulator::MemoryCounts& memory) {
  return memory.global_load.references + memory.global_store.references +
         memory.global_atomic.references + memory.texture_references;
}

// Sums a count over all lines, and finds the line with most of it.
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

Counted worst_sectors(const emulator::LaunchResult& result) {
  Counted worst;
  for (const LineCounts& line : result.lines) {
    const double value = sectors(line.memory.at(0));
    if (value > worst.value) worst = {value, line.line};
  }
  return worst;
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
    case Figure::sectors_per_request: return worst_sectors(result);
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
      return {ratio(total.thread_instructions, static_cast<double>(total.warp_instructions)),
              sum_of(result, [](const LineCounts& line) {
                constexpr std::uint64_t lanes = 32;
                return lanes * line.execution.warp_instructions -
                       line.execution.thread_instructions;
              }).line};
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
    case Figure::sectors_per_request: return "sectors a request of global memory";
    case Figure::references_per_element: return "references of global memory a " + element;
    case Figure::bank_conflicts: return "passes of shared memory lost to bank conflicts";
    case Figure::divergent_branches: return "divergent branches";
    case Figure::instructions_per_element: return "instructions a " + element;
    case Figure::active_lanes: return "active lanes of a warp's 32";
    case Figure::local_requests: return "requests of local memory";
    case Figure::occupancy_percent: return "per cent of occupancy";
    case Figure::block_cycles: return "cycles a block, modelled";
    case Figure::gpu_time_ratio: return "times the reference's time on this GPU";
  }
  return "";
}

std::string to_text(double value) {
  constexpr double whole_from = 1000;
  return value < whole_from ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace warpwise::lab
