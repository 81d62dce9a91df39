#include "warpwise/gpu/module.hpp"

#include <array>
#include <mutex>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/driver.hpp"

namespace warpwise::gpu {
namespace {

struct ModuleFunctions {
  PFN_cuModuleLoadDataEx_v2010 load = nullptr;
  PFN_cuModuleUnload_v2000 unload = nullptr;
  PFN_cuModuleGetFunction_v2000 function = nullptr;
  PFN_cuFuncGetAttribute_v2020 attribute = nullptr;
  PFN_cuFuncSetAttribute_v9000 set_attribute = nullptr;
  PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 occupancy = nullptr;
  PFN_cuLaunchKernel_v4000 launch = nullptr;
};

const ModuleFunctions& module_functions() {
  static const ModuleFunctions functions = [] {
    ModuleFunctions found;
    find_driver_function("cuModuleLoadDataEx", found.load);
    find_driver_function("cuModuleUnload", found.unload);
    find_driver_function("cuModuleGetFunction", found.function);
    find_driver_function("cuFuncGetAttribute", found.attribute);
    find_driver_function("cuFuncSetAttribute", found.set_attribute);
    find_driver_function("cuOccupancyMaxActiveBlocksPerMultiprocessor", found.occupancy);
    find_driver_function("cuLaunchKernel", found.launch);
    return found;
  }();
  return functions;
}

int attribute(FunctionHandle function, CUfunction_attribute which) {
  int value = 0;
  require(module_functions().attribute(&value, which, function), "cuFuncGetAttribute failed");
  return value;
}

// Dynamic shared memory beyond the default of every GPU must be requested for each kernel. The
// limit is never lowered: another thread may be about to launch the kernel with more, and an
// earlier launch may be in a graph.
CUresult allow_shared(FunctionHandle function, std::uint64_t bytes) {
  constexpr CUfunction_attribute limit = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  if (bytes > 0x7fffffff) return CUDA_ERROR_INVALID_VALUE;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (static_cast<int>(bytes) <= attribute(function, limit)) return CUDA_SUCCESS;
  return module_functions().set_attribute(function, limit, static_cast<int>(bytes));
}

std::string shape(std::span<const std::uint32_t, 3> n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

}  // namespace

KernelAttributes Kernel::attributes() const {
  return {.registers = attribute(handle_, CU_FUNC_ATTRIBUTE_NUM_REGS),
          .max_threads = attribute(handle_, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
          .static_shared_bytes = attribute(handle_, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
          .local_bytes = attribute(handle_, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
}

int Kernel::blocks_per_sm(int threads, std::uint64_t shared_bytes) const {
  CUresult result = allow_shared(handle_, shared_bytes);
  int blocks = 0;
  if (result == CUDA_SUCCESS) {
    result = module_functions().occupancy(&blocks, handle_, threads, shared_bytes);
  }
  if (result == CUDA_ERROR_INVALID_VALUE) return 0;  // more than a block can have
  require(result, "occupancy of kernel '" + name_ + "'");
  return blocks;
}

void Kernel::launch(std::span<const std::uint32_t, 3> grid, std::span<const std::uint32_t, 3> block,
                    std::uint64_t shared_bytes, std::span<const std::byte> arguments,
                    StreamHandle stream) const {
  CUresult result = allow_shared(handle_, shared_bytes);
  if (result == CUDA_SUCCESS) {
    std::size_t argument_bytes = arguments.size();
    // The driver copies the arguments before it returns. Its old interface takes a pointer to
    // non-const although it only reads.
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::byte*>(arguments.data()),
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &argument_bytes, CU_LAUNCH_PARAM_END};
    result = module_functions().launch(handle_, grid[0], grid[1], grid[2], block[0], block[1],
                                       block[2], static_cast<unsigned>(shared_bytes), stream,
                                       nullptr, arguments.empty() ? nullptr : extra);
  }
  if (result == CUDA_SUCCESS) return;
  require(result, "kernel '" + name_ + "' cannot be launched with a grid of " + shape(grid) +
                      " blocks of " + shape(block) + " threads, " + std::to_string(shared_bytes) +
                      " bytes of dynamic shared memory and " + std::to_string(arguments.size()) +
                      " bytes of arguments");
}

Module::Module(const std::string& image) {
  if (image.empty()) throw InvalidArgument("a module needs PTX or machine code, not 0 bytes");
  require_device();
  // The driver needs a context of the calling thread. This call makes the runtime create it.
  check(cudaFree(nullptr), "cudaFree");
  std::array<char, 8192> log{};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The driver's interface takes this number in place of a pointer.
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};  // NOLINT
  const CUresult result = module_functions().load(&handle_, image.c_str(), 2, options, values);
  if (result == CUDA_SUCCESS) return;
  log.back() = 0;
  const std::string said = log.data();
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    throw Unsupported("this driver or GPU does not take the code: " + text_of(result) +
                      (said.empty() ? "" : ": " + said));
  }
  require(result, "code cannot be loaded" + (said.empty() ? "" : " (" + said + ")"));
}

Module::~Module() {
  if (handle_ != nullptr) module_functions().unload(handle_);
}

Module& Module::operator=(Module&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Kernel Module::kernel(const std::string& name) const {
  FunctionHandle function = nullptr;
  const CUresult result = module_functions().function(&function, handle_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) throw InvalidArgument("there is no kernel '" + name + "'");
  require(result, "kernel '" + name + "' cannot be loaded");
  return {function, name};
}

}  // namespace warpwise::gpu
