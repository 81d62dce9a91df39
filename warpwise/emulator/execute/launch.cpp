#include "warpwise/emulator/execute/launch.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/modelled_uses.hpp"
#include "warpwise/emulator/execute/scheduler.hpp"
#include "warpwise/emulator/host_code/host_code.hpp"
#include "warpwise/emulator/instructions/calls/system_calls.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {
namespace {

// Limits that no GPU exceeds. CC 9.0 has the most shared memory.
constexpr std::uint64_t most_shared_bytes = 227 * 1024;
constexpr std::uint64_t most_threads = 1024;
// Limit of a launch that allows non-portable cluster sizes. Without that attribute, CUDA's limit is
// 8.
constexpr std::uint64_t most_cluster_blocks = 16;

std::string to_text(Dim3 d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

Dim3 dim_of(const std::vector<int>& numbers) {
  const auto at = [&](std::size_t i) {
    return i < numbers.size() ? static_cast<std::uint32_t>(numbers[i]) : 1U;
  };
  return {at(0), at(1), at(2)};
}

void validate(const Code& code, Dim3 grid, Dim3 block, std::uint64_t shared_bytes,
              std::size_t parameter_bytes) {
  if (grid.count() == 0 || grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535) {
    throw InvalidArgument(
        "a grid of " + to_text(grid) +
        " blocks cannot be launched: x must be 1 to 2147483647, y and z 1 to 65535");
  }
  if (block.count() == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      block.count() > most_threads) {
    throw InvalidArgument("a block of " + to_text(block) +
                          " threads cannot be launched: x and y must be 1 to 1024, z 1 to 64, "
                          "and their product at most 1024");
  }
  if (shared_bytes > most_shared_bytes) {
    throw InvalidArgument(
        "a block with " + std::to_string(shared_bytes) +
        " bytes of shared memory cannot be launched: no GPU allows a block more than " +
        std::to_string(most_shared_bytes));
  }
  const std::size_t wanted =
      code.info.parameter_bytes.empty()
          ? 0
          : code.info.parameter_offsets.back() + code.info.parameter_bytes.back();
  if (parameter_bytes != wanted) {
    throw InvalidArgument("kernel '" + readable(code.info.name) + "' takes " +
                          std::to_string(wanted) + " bytes of parameters, not " +
                          std::to_string(parameter_bytes));
  }
  const auto& required = code.info.required_threads;
  if (!required.empty()) {
    const Dim3 want = dim_of(required);
    if (!(want == block)) {
      throw InvalidArgument("kernel '" + readable(code.info.name) +
                            "' was compiled for blocks of " + to_text(want) + " threads, not " +
                            to_text(block));
    }
  }
  if (std::cmp_greater(block.count(), code.info.most_threads)) {
    throw InvalidArgument("kernel '" + readable(code.info.name) +
                          "' was compiled for blocks of at most " +
                          std::to_string(code.info.most_threads) +
                          " threads (__launch_bounds__), not " + to_text(block));
  }
}

/// Returns the cluster size of a launch.
Dim3 cluster_of(const KernelInfo& info, Dim3 grid, const std::optional<Dim3>& given) {
  const bool is_compiled_for = !info.required_cluster.empty();
  const Dim3 required = dim_of(info.required_cluster);
  if (is_compiled_for && given && !(*given == required)) {
    throw InvalidArgument("kernel '" + readable(info.name) + "' was compiled for clusters of " +
                          to_text(required) + " blocks, not " + to_text(*given));
  }
  if (info.needs_cluster && !is_compiled_for && !given) {
    throw InvalidArgument("kernel '" + readable(info.name) +
                          "' needs clusters, but the launch states no cluster size");
  }
  const Dim3 cluster = given.value_or(required);
  const std::uint64_t blocks = cluster.count();
  if (blocks == 0 || blocks > most_cluster_blocks) {
    throw InvalidArgument("a cluster of " + to_text(cluster) +
                          " blocks cannot be launched: a cluster has 1 to " +
                          std::to_string(most_cluster_blocks) + " blocks");
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    throw InvalidArgument("a grid of " + to_text(grid) +
                          " blocks cannot be divided into clusters of " + to_text(cluster) +
                          " blocks");
  }
  return cluster;
}

/// Returns the code's constants, with the addresses of module variables filled in.
AlignedBytes relocated_constants(const Code& code, std::span<const Address> variables) {
  AlignedBytes constants(code.constants.size());
  std::ranges::copy(code.constants, constants.data());
  for (const Code::Relocation& relocation : code.relocations) {
    const std::uint64_t value =
        variables[relocation.variable] + static_cast<std::uint64_t>(relocation.addend);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      std::memcpy(constants.data() + relocation.constant + i * sizeof(value), &value,
                  sizeof(value));
    }
  }
  return constants;
}

std::string collect_printed(std::span<Worker* const> workers, const Progress& progress) {
  std::map<std::uint64_t, std::string> printed;
  for (Worker* worker : workers) printed.merge(worker->printed);
  std::string text;
  for (const auto& [block, own] : printed) text += own;
  if (progress.printed > most_printed_bytes) {
    text += "\n(the kernel printed more than " + std::to_string(most_printed_bytes) +
            " bytes; the rest is left out)\n";
  }
  return text;
}

std::vector<DeviceWork> collect_work(std::span<Worker* const> workers) {
  std::map<std::uint64_t, std::vector<DeviceWork>> launched;
  for (Worker* worker : workers) launched.merge(worker->launched);
  std::vector<DeviceWork> work;
  for (auto& [block, own] : launched) std::ranges::move(own, std::back_inserter(work));
  std::stable_partition(work.begin(), work.end(),
                        [](const DeviceWork& each) { return !each.is_tail; });
  return work;
}

/// Runs work(0) ... work(count - 1), each on its own thread; the calling thread runs work(0). An
/// exception, such as one for lack of memory, ends all threads and is rethrown here.
template <class Work>
void run_in_parallel(std::size_t count, Progress& progress, const Work& work) {
  std::vector<std::exception_ptr> errors(count);
  const auto guarded = [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      errors[i] = std::current_exception();
      progress.stop = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < count; ++i) threads.emplace_back(guarded, i);
    } catch (...) {
      progress.stop = true;
      throw;
    }
    guarded(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

template <class Observers>
LaunchResult run_observed(const Launch& launch, ObserverSet set, std::size_t count) {
  std::vector<std::unique_ptr<ObservedWorker<Observers>>> workers;
  std::vector<Worker*> plain;
  std::vector<const Observers*> observers;
  for (std::size_t i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<ObservedWorker<Observers>>(launch));
    workers[i]->launch = &launch;
    workers[i]->code = launch.code;
    workers[i]->device = launch.device;
    workers[i]->modelled_executed.resize(launch.code->modelled_handlers.size());
    plain.push_back(workers[i].get());
    observers.push_back(&workers[i]->observers);
  }
  std::vector<std::uint64_t> ended(count);
  run_in_parallel(count, *launch.progress,
                  [&](std::size_t i) { ended[i] = run_blocks(set, *workers[i]); });
  LaunchResult result;
  result.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  result.blocks = std::accumulate(ended.begin(), ended.end(), std::uint64_t{0});
  result.executed = launch.progress->executed;
  Observers::collect(launch, observers, result);
  result.faults = collect_faults(launch, plain);
  if (launch.progress->faults >= most_faults) {
    const auto told = std::ranges::find_if(result.faults, [&](const Fault& each) {
      return launch.is_known == nullptr || !launch.is_known(launch.code->info.name, each);
    });
    if (told != result.faults.end())
      told->message += "; the kernel was stopped after " + std::to_string(most_faults) + " faults";
  }
  result.printed = collect_printed(plain, *launch.progress);
  if (launch.fidelity) result.modelled = collect_modelled(launch, plain);
  result.device_work = collect_work(plain);
  return result;
}

// Number of instructions that machine code executes in the time that it takes to start and end a
// CPU thread.
constexpr double instructions_of_a_thread = 50000;

// Returns the number of CPU threads that run a launch: fewer if earlier launches of the kernel were
// short.
std::size_t workers_for(std::uint64_t clusters, const Code& code, const LaunchOptions& options) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  // Several CPU threads would interleave the blocks differently each time. With several orders, the
  // first run is compared with the others. One thread runs it, so that it is always the same.
  const bool in_turn = options.pace || options.orders > 1 || checks_races(options.checks) ||
                       options.checks.has(Check::runtime);
  const std::uint64_t wanted = in_turn               ? 1
                               : options.threads > 0 ? static_cast<std::uint64_t>(options.threads)
                                                     : cores;
  const double of_work = code.host_code == nullptr || options.threads > 0
                             ? static_cast<double>(wanted)
                             : code.host_code->expected(clusters) / instructions_of_a_thread;
  if (of_work < static_cast<double>(wanted))
    return std::min<std::uint64_t>(1 + static_cast<std::uint64_t>(of_work), clusters);
  return std::min<std::uint64_t>(wanted, clusters);
}

}  // namespace

LaunchResult run_launch(const Code& code, Device::State& device, std::span<const Address> variables,
                        const LaunchShape& shape, std::span<const std::byte> parameters,
                        const LaunchOptions& options) {
  constexpr std::uint64_t far_too_many = std::uint64_t{1} << 62;  // keeps the sum below in 64 bits
  const std::uint64_t dynamic_bytes = std::min(shape.dynamic_shared_bytes, far_too_many);
  const std::uint64_t shared_bytes =
      dynamic_bytes > 0 ? code.dynamic_shared_at + dynamic_bytes : code.static_shared;
  validate(code, shape.grid, shape.block, code.without_gaps(shared_bytes) - code.reserved_shared,
           parameters.size());

  if (options.stack_bytes > most_local_bytes) {
    throw InvalidArgument("a stack of " + std::to_string(options.stack_bytes) +
                          " bytes: no thread has more than " + std::to_string(most_local_bytes) +
                          " bytes of local memory");
  }
  if (options.pace &&
      (!options.count || checks_accesses(options.checks) || options.compute_capabilities.empty())) {
    throw InvalidArgument(
        "LaunchOptions::pace needs LaunchOptions::count and a compute capability, and does not "
        "work with the checks for races and init");
  }

  Progress progress;
  Launch launch;
  launch.code = &code;
  launch.device = &device;
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.shared_bytes = shared_bytes;
  launch.dynamic_shared_bytes = dynamic_bytes;
  launch.local_bytes = code.local_bytes;
  if (code.uses_stack) {
    launch.local_bytes =
        std::min(code.local_bytes + (options.stack_bytes + 15) / 16 * 16, most_local_bytes);
  }
  launch.grid_workspace = shape.grid_workspace;
  launch.heap_bytes = options.heap_bytes;
  launch.depth = shape.depth;
  launch.parameters.assign(parameters.begin(), parameters.end());
  launch.constants = relocated_constants(code, variables);
  launch.ccs = options.compute_capabilities;
  launch.budget = options.budget;
  launch.interrupted = options.interrupted;
  launch.cluster = cluster_of(code.info, shape.grid, options.cluster);
  launch.explicit_cluster = options.cluster || code.info.needs_cluster;
  launch.clusters = launch.all_clusters();
  if (options.sampled_blocks > 0) {
    const std::uint64_t each = launch.cluster.count();
    launch.clusters = std::min(launch.clusters, (options.sampled_blocks + each - 1) / each);
  }
  launch.pace = options.pace;
  launch.checks = options.checks;
  launch.is_known = options.is_known;
  launch.fidelity = options.fidelity;
  launch.order = shape.order;
  launch.order_seed = shape.order_seed;
  launch.watch = shape.watch;
  launch.progress = &progress;
  if (options.engine != Engine::interpreter && !options.pace && shape.order == 0)
    launch.host_code = code.host_code.get();
  if (launch.host_code != nullptr) {
    launch.host_code_after = launch.host_code->left();
    if (options.engine == Engine::machine_code) launch.host_code->make();
  }

  const std::size_t count = workers_for(launch.clusters, code, options);
  launch.atomic = count > 1;
  launch.workers = count;
  if (device.tracks_definedness && !options.checks.has(Check::init)) device.define_all();
  const ObserverSet observers = launch_observers(options);
  LaunchResult result = with_observers(observers, [&](auto set) {
    return run_observed<typename decltype(set)::type>(launch, observers, count);
  });
  if (code.host_code != nullptr) code.host_code->note_executed(result.executed, launch.clusters);
  return result;
}

}  // namespace warpwise::emulator
