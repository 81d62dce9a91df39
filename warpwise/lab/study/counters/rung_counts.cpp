#include "warpwise/lab/study/counters/rung_counts.hpp"

#include <map>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

// Sum of the global memory traffic of all launches.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t references = 0;
  std::uint64_t transactions = 0;
  std::uint64_t bytes = 0;

  void add(const emulator::TrafficCounts& counts) {
    requests += counts.requests;
    references += counts.references;
    transactions += counts.transactions_32 + counts.transactions_64 + counts.transactions_128;
    bytes += counts.bytes_moved;
  }
};

double safe_ratio(double a, double b) { return b == 0 ? 0 : a / b; }
double safe_ratio(std::uint64_t a, std::uint64_t b) {
  return safe_ratio(static_cast<double>(a), static_cast<double>(b));
}

void add(const emulator::TrafficCounts& counts, emulator::TrafficCounts& sum) {
  sum.requests += counts.requests;
  sum.references += counts.references;
  sum.transactions_32 += counts.transactions_32;
  sum.transactions_64 += counts.transactions_64;
  sum.transactions_128 += counts.transactions_128;
  sum.bytes_moved += counts.bytes_moved;
}

void add(const emulator::PassCounts& counts, emulator::PassCounts& sum) {
  sum.requests += counts.requests;
  sum.passes += counts.passes;
}

int threads_of(const ladders::Launch& launch) {
  return static_cast<int>(dimensions(launch.block).count());
}

// Returns ptxas's report on a kernel, and keeps it until the process ends. Many points of a study
// share their code, and ptxas takes longer than the emulator.
const ResourceReport& cached_resource_report(const Compilation& compilation,
                                             const std::string& kernel,
                                             const std::vector<rules::ComputeCapability>& ccs,
                                             bool disassemble) {
  static std::map<std::string, ResourceReport> reports;
  std::string key = (disassemble ? "disassembled " : "") + kernel + compilation.ptx;
  for (const rules::ComputeCapability cc : ccs) key += " " + rules::to_string(cc);
  const auto found = reports.find(key);
  if (found != reports.end()) return found->second;
  ResourceReport made = kernel_resources(compilation, kernel, ccs, find_toolchain(), disassemble);
  return reports.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace

RungCounts counts_of(std::span<const emulator::LaunchResult> launches, std::size_t index,
                     rules::ComputeCapability cc, std::int64_t pixel_count, const Size& size) {
  RungCounts result;
  result.compute_capability = cc;
  result.size = size;
  Traffic global;
  std::uint64_t threads = 0;
  std::uint64_t texture = 0;
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_passes = 0;
  for (const emulator::LaunchResult& launch : launches) {
    result.warp_instructions += launch.totals.warp_instructions;
    threads += launch.totals.thread_instructions;
    result.branches += launch.totals.branches;
    result.divergent_branches += launch.totals.divergent_branches;
    result.barriers += launch.totals.barriers;
    result.possible_references += launch.thread_rounds;
    const emulator::MemoryCounts& memory = launch.memory[index];
    for (const auto& each : {memory.global_load, memory.global_store, memory.global_atomic}) {
      global.add(each);
    }
    add(memory.global_load, result.global_load);
    add(memory.global_store, result.global_store);
    add(memory.shared_load, result.shared_load);
    add(memory.shared_store, result.shared_store);
    for (const auto& each : {memory.shared_load, memory.shared_store, memory.shared_atomic}) {
      shared_requests += each.requests;
      shared_passes += each.passes;
    }
    texture += memory.texture_references;
  }
  const auto pixels = static_cast<double>(pixel_count);
  result.active_lanes = safe_ratio(threads, result.warp_instructions);
  const std::uint64_t references = global.references + texture;
  result.references_per_pixel = safe_ratio(static_cast<double>(references), pixels);
  result.unmade_references = result.possible_references - references;
  result.thread_efficiency_percent = 100 * safe_ratio(references, result.possible_references);
  const emulator::TrafficCounts& loads = result.global_load;
  result.load_transactions_per_request = safe_ratio(
      loads.transactions_32 + loads.transactions_64 + loads.transactions_128, loads.requests);
  result.transactions_per_request = safe_ratio(global.transactions, global.requests);
  result.bytes_moved_per_pixel = safe_ratio(static_cast<double>(global.bytes), pixels);
  result.shared_passes_per_request = safe_ratio(shared_passes, shared_requests);
  return result;
}

RungResources resources_on_gpu(const RungRun& run, const GpuExecutor& executor,
                               MachineCodeFigures wanted) {
  RungResources result;
  result.compute_capability = executor.compute_capability();
  const ladders::Launch& launch = run.launches().front();
  result.registers = run.code().registers(launch.kernel);
  const int threads = threads_of(launch);
  const int warps = (threads + 31) / 32;
  const int blocks = run.code().blocks_per_sm(launch.kernel, threads, launch.shared_bytes);
  result.occupancy = safe_ratio(static_cast<double>(blocks * warps),
                                rules::sm_limits(result.compute_capability).warps);
  if (!wanted.spills && !wanted.global_instructions) return result;
  const ResourceReport& report = cached_resource_report(
      run.compilation(), launch.kernel, {result.compute_capability}, wanted.global_instructions);
  if (const auto& known = report.by_compute_capability[0]) {
    result.spill_bytes = known->spill_store_bytes + known->spill_load_bytes;
    result.global_instructions = known->global_instructions;
  }
  return result;
}

std::vector<RungResources> resources_by_rules(const RungRun& run,
                                              const std::vector<rules::ComputeCapability>& ccs,
                                              MachineCodeFigures wanted) {
  const ladders::Launch& launch = run.launches().front();
  const ResourceReport& report =
      cached_resource_report(run.compilation(), launch.kernel, ccs, wanted.global_instructions);
  std::vector<RungResources> result;
  for (std::size_t i = 0; i < ccs.size(); ++i) {
    RungResources each;
    each.compute_capability = ccs[i];
    if (const auto& known = report.by_compute_capability[i]) {
      each.registers = known->registers;
      each.registers_from = built_for(*known, ccs[i]);
      each.spill_bytes = known->spill_store_bytes + known->spill_load_bytes;
      each.spill_load_bytes = known->spill_load_bytes;
      each.stack_bytes = known->stack_bytes;
      each.global_instructions = known->global_instructions;
      try {
        each.occupancy =
            rules::occupancy(ccs[i], {.threads = threads_of(launch),
                                      .registers_per_thread = known->registers,
                                      .shared_bytes = known->shared_bytes +
                                                      static_cast<int>(launch.shared_bytes)})
                .fraction;
      } catch (const InvalidArgument& error) {
        each.occupancy = 0;
        each.why_not = error.what();
      }
    }
    result.push_back(each);
  }
  return result;
}

const std::vector<MachineOperation>& operations_by_rules(const RungRun& run,
                                                         const std::string& kernel,
                                                         rules::ComputeCapability cc) {
  static const std::vector<MachineOperation> none;
  const auto& known =
      cached_resource_report(run.compilation(), kernel, {cc}, false).by_compute_capability[0];
  return known && known->architecture >= 10 * cc.major && cc.major >= 7 ? known->operations : none;
}

}  // namespace warpwise::lab
