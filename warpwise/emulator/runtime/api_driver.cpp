// The driver's functions for code that is loaded at run time, as cudaGetDriverEntryPointByVersion
// hands them out.

#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/launch.hpp"
#include "warpwise/emulator/runtime/reports.hpp"

// What the driver's opaque types are here.
struct CUfunc_st {
  CUmod_st* module = nullptr;
  warpwise::emulator::KernelInfo info;
  std::optional<int> dynamic_shared_asked_for = std::nullopt;
};
struct CUmod_st {
  explicit CUmod_st(std::string text) : ptx(std::move(text)), program(ptx) {}
  std::string ptx;
  warpwise::emulator::Program program;
  std::map<std::string, CUfunc_st> functions;
};

using namespace warpwise::emulator;
using namespace warpwise::emulator::runtime;

namespace {

// PTX does not tell how many registers machine code needs; 32 is what most kernels stay below.
constexpr int assumed_registers = 32;

// Both interfaces number their errors alike, where both have them.
CUresult result_of(cudaError_t error) { return static_cast<CUresult>(error); }

CUresult get_error_name(CUresult error, const char** text) {
  if (error == CUDA_ERROR_INVALID_VALUE)
    *text = "CUDA_ERROR_INVALID_VALUE";
  else if (error == CUDA_ERROR_INVALID_PTX)
    *text = "CUDA_ERROR_INVALID_PTX";
  else
    *text = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult get_error_string(CUresult error, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

void write_log(std::string_view text, unsigned count, const CUjit_option* options, void** values) {
  char* log = nullptr;
  std::size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      size = reinterpret_cast<std::uintptr_t>(values[i]);
    }
  }
  if (log == nullptr || size == 0) return;
  const std::size_t length = std::min(size - 1, text.size());
  std::memcpy(log, text.data(), length);
  log[length] = 0;
}

CUresult module_load(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                     void** values) {
  const auto* text = static_cast<const char*>(image);
  if (std::strncmp(text, "\177ELF", 4) == 0) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  try {
    *module = new CUmod_st(text);
  } catch (const warpwise::Error& error) {
    write_log(error.what(), count, options, values);
    return CUDA_ERROR_INVALID_PTX;
  }
  return CUDA_SUCCESS;
}

CUresult module_unload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}

CUresult module_get_function(CUfunction* function, CUmodule module, const char* name) {
  const std::vector<std::string> names = module->program.kernel_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return CUDA_ERROR_NOT_FOUND;
  return result_of(guarded([&] {
    auto found = module->functions.find(name);
    if (found == module->functions.end()) {
      found =
          module->functions.emplace(name, CUfunc_st{module, module->program.kernel(name)}).first;
    }
    *function = &found->second;
    return cudaSuccess;
  }));
}

CUresult function_attribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(function->info.static_shared_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(function->info.local_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = assumed_registers; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(std::max<std::int64_t>(
          0, dynamic_shared_limit(function->info, function->dynamic_shared_asked_for)));
      return CUDA_SUCCESS;
    default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult set_function_attribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
  if (!may_ask_for_shared(function->info, value)) return CUDA_ERROR_INVALID_VALUE;
  function->dynamic_shared_asked_for = value;
  return CUDA_SUCCESS;
}

CUresult occupancy(int* blocks, CUfunction function, int threads, std::size_t shared) {
  return result_of(guarded([&] {
    const warpwise::rules::BlockResources resources{
        threads, assumed_registers, static_cast<int>(function->info.static_shared_bytes + shared)};
    *blocks = warpwise::rules::occupancy(emulated().cc, resources).blocks_per_sm;
    return cudaSuccess;
  }));
}

// The parameter block, whichever of the two ways it is given in.
std::vector<std::byte> parameter_block(const KernelInfo& info, void** parameters, void** extra) {
  if (parameters != nullptr || extra == nullptr) return parameters_of(info, parameters);
  const std::byte* block = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  return {block, block + bytes};
}

CUresult launch_kernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                       CUstream stream, void** parameters, void** extra) {
  const dim3 grid(grid_x, grid_y, grid_z);
  const dim3 block(block_x, block_y, block_z);
  if (!is_launchable(grid, block) ||
      std::cmp_greater(shared,
                       dynamic_shared_limit(function->info, function->dynamic_shared_asked_for))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (emulated().sticky != cudaSuccess) note_skipped(function->info.name);
  return result_of(guarded([&] {
    auto run = [function, grid, block, shared,
                given = parameter_block(function->info, parameters, extra)] {
      CUmod_st& module = *function->module;
      return run_kernel(
          module.program, function->info.name, [&] { return module.ptx; }, grid, block, shared,
          given);
    };
    return run_or_capture(stream, std::move(run));
  }));
}

struct EntryPoint {
  std::string_view name;
  void* function;
};

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

cudaError_t find_entry_point(std::string_view name, void** function,
                             cudaDriverEntryPointQueryResult* status) {
  static const EntryPoint all[] = {
      {"cuGetErrorName", address(get_error_name)},
      {"cuGetErrorString", address(get_error_string)},
      {"cuModuleLoadDataEx", address(module_load)},
      {"cuModuleUnload", address(module_unload)},
      {"cuModuleGetFunction", address(module_get_function)},
      {"cuFuncGetAttribute", address(function_attribute)},
      {"cuFuncSetAttribute", address(set_function_attribute)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", address(occupancy)},
      {"cuLaunchKernel", address(launch_kernel)},
  };
  const auto* found = std::find_if(std::begin(all), std::end(all),
                                   [&](const EntryPoint& each) { return each.name == name; });
  const bool exists = found != std::end(all);
  *function = exists ? found->function : nullptr;
  if (status != nullptr) {
    *status = exists ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
  return find_entry_point(name, function, status);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned int,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  return find_entry_point(name, function, status);
}

}  // extern "C"
