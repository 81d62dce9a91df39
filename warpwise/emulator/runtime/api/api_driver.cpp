// Gives the driver's functions, from libcuda.so.1 beside this library, to programs that use the
// runtime.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <filesystem>

#include "warpwise/emulator/runtime/code/registry.hpp"

using namespace warpwise::emulator::runtime;

namespace {

// Type of cuGetProcAddress_v2. The driver links this library, not the reverse.
using Find = int(const char*, void**, int, unsigned long long, int*);

Find* driver() {
  static Find* const found = [] {
    Dl_info here{};
    ::dladdr(reinterpret_cast<void*>(&emulated), &here);
    const auto beside = std::filesystem::path(here.dli_fname).parent_path() / "libcuda.so.1";
    void* library = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL);
    return library == nullptr ? nullptr
                              : reinterpret_cast<Find*>(::dlsym(library, "cuGetProcAddress_v2"));
  }();
  return found;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                             unsigned int version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  if (name == nullptr || function == nullptr) return report(cudaErrorInvalidValue);
  *function = nullptr;
  if (driver() != nullptr) driver()(name, function, static_cast<int>(version), flags, nullptr);
  if (status != nullptr) {
    *status =
        *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

}  // extern "C"
