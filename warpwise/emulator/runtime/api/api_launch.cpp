// Kernels: registration by the program's constructors, and launches.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/checks/launch_check.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/modules.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/launch.hpp"
#include "warpwise/emulator/runtime/observe.hpp"
#include "warpwise/emulator/runtime/reports/call_site.hpp"
#include "warpwise/emulator/runtime/reports/cupy_source.hpp"
#include "warpwise/emulator/runtime/reports/explain_record.hpp"
#include "warpwise/emulator/runtime/reports/interruption.hpp"
#include "warpwise/emulator/runtime/reports/launch_totals.hpp"
#include "warpwise/emulator/runtime/reports/pace_sample.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

using namespace warpwise::emulator;
using namespace warpwise::emulator::runtime;

namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<Configuration> configurations;
// True if the next launch is a `kernel<<<...>>>()`, whose result the program does not see.
thread_local bool launch_returns_nothing = false;

cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds: return cudaErrorIllegalAddress;
    case FaultKind::use_after_free: return cudaErrorIllegalAddress;
    case FaultKind::misaligned: return cudaErrorMisalignedAddress;
    case FaultKind::deadlock:
    case FaultKind::livelock:
    case FaultKind::interrupted:
    case FaultKind::budget: return cudaErrorLaunchTimeout;
    case FaultKind::race:
    case FaultKind::narrow_scope:
    case FaultKind::equal_writes:
    case FaultKind::lockstep:
    case FaultKind::order_dependent:
    case FaultKind::barrier:
    case FaultKind::member_mask:
    case FaultKind::uninitialised:
    case FaultKind::trap: return cudaErrorLaunchFailure;
    case FaultKind::assertion: return cudaErrorAssert;
    case FaultKind::bad_call: return cudaErrorInvalidPc;
    case FaultKind::stack_overflow: return cudaErrorHardwareStackError;
    case FaultKind::invalid_free: return cudaErrorIllegalAddress;
    case FaultKind::leak:
    case FaultKind::copy:
    case FaultKind::unchecked_launch:
    case FaultKind::unsynchronised: break;  // a fault of host calls, not of kernels
  }
  return cudaErrorUnknown;
}

const Observer* observer = nullptr;

LaunchOptions launch_options() {
  if (observer != nullptr) return observer->options;
  LaunchOptions options;
  options.count = false;
  options.budget = emulated().budget;
  options.interrupted = interruption();
  options.heap_bytes = emulated().limits[cudaLimitMallocHeapSize];
  options.stack_bytes = std::max(options.stack_bytes, emulated().limits[cudaLimitStackSize]);
  options.checks = checks_asked_for();
  options.is_known = is_suppressed;
  options.fidelity = fidelity_is_reported();
  options.engine = engine_asked_for();
  options.orders = orders_asked_for();
  options.order_seed = order_seed_asked_for();
  if (explanation_is_asked_for()) options.fidelity = true;
  if (explanation_is_asked_for() || totals_are_asked_for()) {
    options.count = true;
    options.compute_capabilities = {emulated().cc};
  }
  return options;
}

void tell_origins(LaunchResult& result) {
  for (Fault& fault : result.faults) fault.message = with_origins(std::move(fault.message));
}

/// Prints a kernel's output. Stores and returns the error of its first fault, unless keeps_going().
cudaError_t outcome(const LaunchResult& result) {
  std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
  if (result.faults.empty() || keeps_going()) return cudaSuccess;
  return fail(error_of(result.faults.front().kind));
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared, cudaStream_t stream, const LaunchMode& mode = {}) {
  std::function<cudaError_t()> work;
  const bool returns_nothing = std::exchange(launch_returns_nothing, false);
  const cudaError_t error =
      is_stream(stream) ? prepare_launch(function, grid, block, arguments, shared, mode, work)
                        : report(cudaErrorInvalidResourceHandle);
  if (error != cudaSuccess && returns_nothing) note_failed_launch(function, error);
  if (error != cudaSuccess) return error;
  const bool was_sound = emulated().sticky == cudaSuccess;
  const cudaError_t ran = run_or_capture(stream, cudaGraphNodeTypeKernel, std::move(work));
  // The next call returns a kernel's fault, because on a GPU the launch returns before the fault.
  return was_sound && emulated().sticky != cudaSuccess ? cudaSuccess : ran;
}

}  // namespace

namespace warpwise::emulator::runtime {
namespace {

/// Returns a kernel's properties. If the emulator cannot run the kernel, the reports name it, even
/// if the program only asks for its properties.
const KernelInfo& info_of(const Kernel& kernel) {
  return noting_refusal(
      kernel.name, [&]() -> const KernelInfo& { return kernel.module->get().kernel(kernel.name); });
}

// Clusters of 9 to 16 blocks need the attribute cudaFuncAttributeNonPortableClusterSizeAllowed.
constexpr std::uint64_t portable_cluster_blocks = 8;
constexpr std::uint64_t most_cluster_blocks = 16;

bool has_clusters() { return emulated().cc.major >= 9; }

/// Checks a launch's cluster, which the launch or the kernel states, and returns the error.
cudaError_t check_cluster(const Kernel& kernel, const KernelInfo& info,
                          const std::optional<Dim3>& given, dim3 grid) {
  if (!given && info.required_cluster.empty())
    return info.needs_cluster ? cudaErrorInvalidClusterSize : cudaSuccess;
  if (!has_clusters()) return cudaErrorNotSupported;
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};
  for (std::size_t i = 0; i < std::min<std::size_t>(3, info.required_cluster.size()); ++i)
    cluster[i] = static_cast<std::uint32_t>(info.required_cluster[i]);
  if (given && !info.required_cluster.empty() &&
      !(*given == Dim3{cluster[0], cluster[1], cluster[2]})) {
    return cudaErrorInvalidClusterSize;
  }
  if (given) cluster = {given->x, given->y, given->z};
  const auto blocks = std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
  const std::uint64_t most =
      kernel.allows_large_clusters ? most_cluster_blocks : portable_cluster_blocks;
  if (blocks == 0 || blocks > most) return cudaErrorInvalidClusterSize;
  if (grid.x % cluster[0] != 0 || grid.y % cluster[1] != 0 || grid.z % cluster[2] != 0)
    return cudaErrorInvalidClusterSize;
  return cudaSuccess;
}

/// \throws InvalidArgument  for a block that the kernel was not compiled for
void check_bounds(const KernelInfo& info, dim3 block) {
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  if (std::cmp_greater(threads, info.most_threads)) {
    throw InvalidArgument(
        "kernel '" + readable(info.name) + "' was compiled for blocks of at most " +
        std::to_string(info.most_threads) + " threads, not " + std::to_string(threads));
  }
  const std::vector<int>& required = info.required_threads;
  const std::array<unsigned, 3> sizes = {block.x, block.y, block.z};
  for (std::size_t i = 0; i < sizes.size() && !required.empty(); ++i) {
    const int size = i < required.size() ? required[i] : 1;
    if (std::cmp_equal(sizes[i], size)) continue;
    throw InvalidArgument("kernel '" + readable(info.name) + "' was compiled for blocks of " +
                          std::to_string(size) + " threads in " + std::string(1, "xyz"[i]) +
                          ", not " + std::to_string(sizes[i]));
  }
}

/// Adds to each fault the place of the current call, which launches the kernel. If a Python file
/// holds the kernel's source as a string, the fault gets its line in that file.
/// \param kernel  its readable name
void tell_launch(LaunchResult& result, const std::string& kernel) {
  if (result.faults.empty() || !is_reported()) return;
  const CallSite site = CallSite::here_in_python();
  const ProgramPlace place = site.place(kernel);
  if (site.is_in_python()) name_python_lines(result.faults, place.source.file);
  if (place.source.file.empty() && place.offset.empty()) return;
  for (Fault& fault : result.faults) fault.message += "; launched at " + place.text();
}

}  // namespace

LaunchMode mode_of(const cudaLaunchConfig_t& config) {
  LaunchMode mode;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      mode.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& dim = attribute.val.clusterDim;
      mode.cluster = Dim3{dim.x, dim.y, dim.z};
    }
  }
  return mode;
}

bool is_launchable(dim3 grid, dim3 block) {
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  const auto blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  return threads > 0 && threads <= 1024 && block.z <= 64 && blocks > 0 && grid.y <= 65535 &&
         grid.z <= 65535 && grid.x <= 0x7fffffffU;
}

std::int64_t dynamic_shared_limit(const KernelInfo& info, std::optional<int> asked_for) {
  constexpr std::int64_t given_unasked = 48 * 1024;
  return asked_for ? *asked_for
                   : given_unasked - static_cast<std::int64_t>(info.static_shared_bytes);
}

bool may_ask_for_shared(const KernelInfo& info, int bytes) {
  const std::int64_t most = rules::sm_limits(emulated().cc).max_shared_per_block;
  return bytes >= 0 && bytes + static_cast<std::int64_t>(info.static_shared_bytes) <= most;
}

std::vector<std::byte> parameters_of(const KernelInfo& info, void** arguments) {
  std::vector<std::byte> block;
  for (std::size_t i = 0; i < info.parameter_bytes.size(); ++i) {
    block.resize(info.parameter_offsets[i] + info.parameter_bytes[i]);
    std::memcpy(block.data() + info.parameter_offsets[i], arguments[i], info.parameter_bytes[i]);
  }
  return block;
}

cudaError_t prepare_launch(const void* function, dim3 grid, dim3 block, void** arguments,
                           std::size_t shared, const LaunchMode& mode,
                           std::function<cudaError_t()>& work) {
  Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  if (emulated().sticky != cudaSuccess) note_skipped(kernel->name);
  return guarded([&]() -> cudaError_t {
    const KernelInfo& info = info_of(*kernel);
    if (!is_launchable(grid, block)) return cudaErrorInvalidConfiguration;
    check_bounds(info, block);
    if (std::cmp_greater(shared, dynamic_shared_limit(info, kernel->dynamic_shared_asked_for)))
      return cudaErrorInvalidValue;
    const cudaError_t cluster_error = check_cluster(*kernel, info, mode.cluster, grid);
    if (cluster_error != cudaSuccess) return cluster_error;
    if (mode.cooperative) {
      int resident = 0;
      const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &resident, function, static_cast<int>(block.x * block.y * block.z), shared);
      if (error != cudaSuccess) return error;
      const auto blocks = std::uint64_t{grid.x} * grid.y * grid.z;
      if (blocks > static_cast<std::uint64_t>(resident) * emulated().multiprocessors)
        return cudaErrorCooperativeLaunchTooLarge;
    }
    work = [kernel, grid, block, shared, mode, parameters = parameters_of(info, arguments)] {
      // Passes a function that builds the PTX text. Only observers and records call it, so the
      // module does not store the text.
      return run_kernel(
          kernel->module->get(), kernel->name, [kernel] { return kernel->module->ptx(); }, grid,
          block, shared, parameters, mode);
    };
    return cudaSuccess;
  });
}

cudaError_t run_kernel(Program& program, const std::string& name,
                       const std::function<std::string()>& ptx, dim3 grid, dim3 block,
                       std::size_t shared, const std::vector<std::byte>& parameters,
                       const LaunchMode& mode) {
  return guarded([&] {
    LaunchOptions options = launch_options();
    options.cooperative = mode.cooperative;
    options.cluster = mode.cluster;
    const Dim3 blocks{grid.x, grid.y, grid.z};
    const Dim3 threads{block.x, block.y, block.z};
    const WorkScope scope(stream_order() == nullptr ? std::string() : readable(name));
    // No other launch may change the memory while a launch runs several times.
    static std::mutex& one_at_a_time = *new std::mutex;
    std::unique_lock lock(one_at_a_time, std::defer_lock);
    if (options.orders > 1) lock.lock();
    std::optional<PaceSample> sample;
    if (const SampleModel* model = sample_needed(name, blocks, threads, shared))
      sample.emplace(program, name, blocks, threads, shared, parameters, *model, options);
    const InterruptibleScope interruptible;
    const auto start = std::chrono::steady_clock::now();
    LaunchResult result = noting_refusal(name, [&] {
      return program.launch(emulated().device, name, blocks, threads, shared, parameters, options);
    });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    // A waiting thread may hold Python's lock, which is needed for a fault's place.
    if (lock.owns_lock()) lock.unlock();
    if (observer != nullptr) {
      const std::string text = ptx();
      observer->see(observer->context,
                    {program.kernel(name), blocks, threads, shared, parameters, text, result});
    }
    tell_origins(result);
    double of_launched = 0;
    for (LaunchedKernel& each : result.launched) {
      tell_origins(each.result);
      of_launched += each.seconds;
    }
    take_suppressed(name, result);
    tell_launch(result, readable(name));
    note_launch(name, taken.count() - of_launched, result);
    add_to_totals(result);
    record_launch(name, blocks, threads, shared, ptx, result,
                  sample ? sample->result() : RecordJson());
    cudaError_t error = outcome(result);
    for (LaunchedKernel& each : result.launched) {
      take_suppressed(each.name, each.result);
      note_launch(each.name, each.seconds, each.result);
      add_to_totals(each.result);
      record_launch(each.name, each.grid, each.block, each.result.dynamic_shared_bytes, ptx,
                    each.result);
      if (error == cudaSuccess) error = outcome(each.result);
    }
    return error;
  });
}

}  // namespace warpwise::emulator::runtime

extern "C" {

void warpwise_emulated_observe(const Observer* given) { observer = given; }

void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  own.modules.push_back(std::make_unique<Module>());
  own.modules.back()->wrapper = wrapper;
  return reinterpret_cast<void**>(own.modules.back().get());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
// Called before the host first accesses a managed variable of the module.
char __cudaInitModule(void** registered) {
  auto* module = reinterpret_cast<Module*>(registered);
  const cudaError_t error = guarded([&] {
    for (const Module::Managed& variable : module->managed) {
      std::uint64_t bytes = 0;
      StreamOrder* const order = stream_order();
      const Address address = module->get().variable(emulated().device, variable.name, &bytes);
      *variable.host = reinterpret_cast<void*>(address);
      if (order != nullptr) order->shows_own(address, bytes);
    }
    return cudaSuccess;
  });
  return error == cudaSuccess ? 1 : 0;
}

void __cudaRegisterFunction(void** module, const char* host_function, char*,
                            const char* device_name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  own.kernels[host_function] = {reinterpret_cast<Module*>(module), device_name};
}

void __cudaRegisterVar(void** module, char* host_variable, char*, const char* device_name, int,
                       size_t bytes, int, int) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  own.variables[host_variable] = {reinterpret_cast<Module*>(module), device_name, bytes};
}

void __cudaRegisterManagedVar(void** module, void** host_variable, char*, const char* device_name,
                              int, size_t bytes, int, int) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  auto* registered = reinterpret_cast<Module*>(module);
  registered->managed.push_back({host_variable, device_name});
  own.variables[host_variable] = {registered, device_name, bytes};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return report(cudaErrorMissingConfiguration);
  const Configuration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  configurations.pop_back();
  launch_returns_nothing = true;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                config->stream, mode_of(*config));
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, {.cooperative = true});
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
    kernel->allows_large_clusters = value != 0;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return guarded([&] {
    if (!may_ask_for_shared(info_of(*kernel), value)) return cudaErrorInvalidValue;
    kernel->dynamic_shared_asked_for = value;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  const Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  *name = kernel->name.c_str();
  return cudaSuccess;
}
cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset,
                                 size_t* bytes) {
  Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  return guarded([&]() -> cudaError_t {
    const KernelInfo& info = info_of(*kernel);
    if (index >= info.parameter_bytes.size()) return cudaErrorInvalidValue;
    *offset = info.parameter_offsets[index];
    if (bytes != nullptr) *bytes = info.parameter_bytes[index];
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  return guarded([&] {
    const KernelInfo& info = info_of(*kernel);
    *attributes = {};
    attributes->sharedSizeBytes = info.static_shared_bytes;
    attributes->constSizeBytes = info.constant_bytes;
    attributes->localSizeBytes = info.local_bytes;
    attributes->numRegs = assumed_registers;
    attributes->maxThreadsPerBlock = info.most_threads;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(
        std::max<std::int64_t>(0, dynamic_shared_limit(info, kernel->dynamic_shared_asked_for)));
    // CUB chooses by this number among the architectures that the program was compiled for.
    attributes->ptxVersion = info.target;
    const auto& cluster = info.required_cluster;
    attributes->clusterDimMustBeSet = info.needs_cluster ? 1 : 0;
    attributes->requiredClusterWidth = cluster.empty() ? 0 : cluster[0];
    attributes->requiredClusterHeight = cluster.empty() ? 0 : cluster.size() > 1 ? cluster[1] : 1;
    attributes->requiredClusterDepth = cluster.empty() ? 0 : cluster.size() > 2 ? cluster[2] : 1;
    attributes->nonPortableClusterSizeAllowed = kernel->allows_large_clusters ? 1 : 0;
    attributes->binaryVersion = emulated().cc.major * 10 + emulated().cc.minor;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, size_t shared,
                                                                   unsigned int) {
  if (blocks == nullptr) return report(cudaErrorInvalidValue);
  *blocks = 0;  // also the result after an error
  Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  return guarded([&] {
    const KernelInfo& info = info_of(*kernel);
    if (threads <= 0) return cudaErrorInvalidValue;
    // No block of such a size can be launched, so none is resident.
    if (threads > warpwise::rules::sm_limits(emulated().cc).threads_per_block ||
        std::cmp_greater(shared, dynamic_shared_limit(info, kernel->dynamic_shared_asked_for)))
      return cudaSuccess;
    const warpwise::rules::BlockResources resources{
        threads, assumed_registers, static_cast<int>(info.static_shared_bytes + shared)};
    *blocks = warpwise::rules::occupancy(emulated().cc, resources).blocks_per_sm;
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                0);
}

// Clusters fill the emulated GPU's multiprocessors like single blocks; there are no GPCs that limit
// them.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  return guarded([&]() -> cudaError_t {
    const KernelInfo& info = info_of(*kernel);
    const LaunchMode mode = mode_of(*config);
    const cudaError_t error = check_cluster(*kernel, info, mode.cluster, config->gridDim);
    if (error != cudaSuccess) return error;
    std::uint64_t each = mode.cluster ? mode.cluster->count() : 1;
    if (!mode.cluster) {
      for (const int n : info.required_cluster) each *= static_cast<std::uint64_t>(n);
    }
    const dim3 block = config->blockDim;
    int resident = 0;
    const cudaError_t asked = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, function, static_cast<int>(block.x * block.y * block.z),
        config->dynamicSmemBytes);
    *clusters = resident * emulated().multiprocessors / static_cast<int>(each);
    return asked;
  });
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t*) {
  const Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  if (!has_clusters()) return report(cudaErrorNotSupported);
  *size = static_cast<int>(kernel->allows_large_clusters ? most_cluster_blocks
                                                         : portable_cluster_blocks);
  return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int threads) {
  if (bytes == nullptr) return report(cudaErrorInvalidValue);
  *bytes = 0;
  Kernel* kernel = find_kernel(function);
  if (kernel == nullptr) return report(cudaErrorInvalidDeviceFunction);
  return guarded([&]() -> cudaError_t {
    const KernelInfo& info = info_of(*kernel);
    const auto cc = emulated().cc;
    const warpwise::rules::SmLimits sm = warpwise::rules::sm_limits(cc);
    if (blocks <= 0 || blocks > sm.blocks || threads <= 0 || threads > sm.threads_per_block ||
        blocks * ((threads + 31) / 32) > sm.warps)
      return cudaErrorInvalidValue;
    const int most = warpwise::rules::most_shared_bytes(cc, blocks);
    *bytes =
        static_cast<std::size_t>(std::max(0, most - static_cast<int>(info.static_shared_bytes)));
    return cudaSuccess;
  });
}

}  // extern "C"
