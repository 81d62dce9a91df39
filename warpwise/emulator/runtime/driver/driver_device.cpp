// The driver's devices, contexts and errors.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/runtime/driver/driver.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

using namespace warpwise::emulator::runtime;

/// A context. There is one GPU with one memory, so a context is only a name.
struct CUctx_st {
  unsigned flags = 0;
  unsigned long long id = 0;
  int retained = 0;  ///< references to the primary context
};

namespace {

struct NamedError {
  CUresult value;
  const char* name;
};
constexpr NamedError names[] = {
#include "driver_errors.inc"
};

CUctx_st primary{.id = 1};
thread_local std::vector<CUcontext> stack;
thread_local bool has_popped_primary = false;

// A program that uses the runtime has the primary context implicitly, until it pops the context.
CUcontext current() {
  if (!stack.empty()) return stack.back();
  if (has_popped_primary) return nullptr;
  return primary.retained > 0 || !emulated().kernels.empty() ? &primary : nullptr;
}

CUresult known(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

template <class Value>
CUresult give(Value* to, Value value, CUdevice device = 0) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (known(device) == CUDA_SUCCESS) *to = value;
  return known(device);
}

}  // namespace

namespace warpwise::emulator::runtime {

CUresult result_of(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidPitchValue: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    default: return static_cast<CUresult>(error);
  }
}

CUresult driver_guarded(const std::function<cudaError_t()>& body) {
  return DriverCall().result_of(guarded(body));
}

}  // namespace warpwise::emulator::runtime

extern "C" {

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDriverGetVersion(int* version) { return give(version, CUDA_VERSION); }

CUresult cuGetErrorName(CUresult error, const char** text) {
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const NamedError& each) { return each.value == error; });
  *text = found == std::end(names) ? nullptr : found->name;
  return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  const char* name = nullptr;
  const CUresult known = cuGetErrorName(error, &name);
  // Both interfaces use the same numbers and words.
  *text = known == CUDA_SUCCESS ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return known;
}

CUresult cuDeviceGetCount(int* count) { return give(count, 1); }
CUresult cuDeviceGet(CUdevice* device, int ordinal) { return give(device, 0, ordinal); }
CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  if (name == nullptr || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties{};
  const CUresult result = DriverCall().result_of(cudaGetDeviceProperties(&properties, device));
  if (result == CUDA_SUCCESS) {
    std::strncpy(name, properties.name, static_cast<std::size_t>(bytes));
    name[bytes - 1] = 0;
  }
  return result;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return give(uuid, CUuuid{"warpwise"}, device);
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return give(bytes, static_cast<size_t>(emulated().device.memory().second), device);
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
    return give(value, 1, device);
  return DriverCall().result_of(
      cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  *major = emulated().cc.major;
  return give(minor, emulated().cc.minor, device);
}
CUresult cuDeviceGetProperties(CUdevprop* p, CUdevice device) {
  cudaDeviceProp properties{};
  const CUresult result = DriverCall().result_of(cudaGetDeviceProperties(&properties, device));
  if (result != CUDA_SUCCESS) return result;
  *p = {};
  p->maxThreadsPerBlock = properties.maxThreadsPerBlock;
  std::copy_n(properties.maxThreadsDim, 3, p->maxThreadsDim);
  std::copy_n(properties.maxGridSize, 3, p->maxGridSize);
  p->sharedMemPerBlock = static_cast<int>(properties.sharedMemPerBlock);
  p->totalConstantMemory = static_cast<int>(properties.totalConstMem);
  p->SIMDWidth = properties.warpSize;
  p->memPitch = static_cast<int>(properties.memPitch);
  p->regsPerBlock = properties.regsPerBlock;
  p->textureAlign = static_cast<int>(properties.textureAlignment);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int bytes, CUdevice device) {
  return DriverCall().result_of(cudaDeviceGetPCIBusId(id, bytes, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  return DriverCall().result_of(cudaDeviceGetByPCIBusId(device, id));
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return DriverCall().result_of(cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice device,
                                 CUdevice peer) {
  return DriverCall().result_of(
      cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), device, peer));
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return DriverCall().result_of(cudaDeviceGetDefaultMemPool(pool, device));
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return DriverCall().result_of(cudaDeviceGetMemPool(pool, device));
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return DriverCall().result_of(cudaDeviceSetMemPool(device, pool));
}
CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType, CUdevice device) {
  return give(supported, 0, device);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (known(device) == CUDA_SUCCESS) ++primary.retained;
  return give<CUcontext>(context, &primary, device);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  if (known(device) != CUDA_SUCCESS) return known(device);
  if (primary.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --primary.retained;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  if (known(device) != CUDA_SUCCESS) return known(device);
  return DriverCall().result_of(cudaDeviceReset());
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  if (known(device) == CUDA_SUCCESS) primary.flags = flags;
  return known(device);
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  *active = primary.retained > 0 || !emulated().kernels.empty() ? 1 : 0;
  return give(flags, primary.flags, device);
}
CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned int flags, CUdevice device) {
  static unsigned long long made = 1;
  if (known(device) != CUDA_SUCCESS) return known(device);
  *context = new CUctx_st{.flags = flags, .id = ++made};
  stack.push_back(*context);
  return CUDA_SUCCESS;
}
#undef cuCtxCreate
CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int, unsigned int flags,
                        CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}
CUresult cuCtxDestroy(CUcontext context) {
  if (context == nullptr || context == &primary) return CUDA_ERROR_INVALID_CONTEXT;
  std::erase(stack, context);
  delete context;
  return CUDA_SUCCESS;
}
// A context has only one user, so detaching destroys the context.
CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy(context); }
CUresult cuCtxPushCurrent(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = current();
  if (stack.empty())
    has_popped_primary = true;
  else
    stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) { return give(context, current()); }
CUresult cuCtxGetDevice(CUdevice* device) {
  return current() == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(device, 0);
}
CUresult cuCtxGetFlags(unsigned int* flags) {
  return current() == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(flags, current()->flags);
}
CUresult cuCtxSetFlags(unsigned int flags) {
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  current()->flags = flags;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  if (context == nullptr) context = current();
  return context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(id, context->id);
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned int* version) { return give(version, 3020U); }
CUresult cuCtxSynchronize() { return DriverCall().result_of(cudaDeviceSynchronize()); }
CUresult cuCtxSynchronize_v2(CUcontext) { return cuCtxSynchronize(); }
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return DriverCall().result_of(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return DriverCall().result_of(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return give(config, CU_FUNC_CACHE_PREFER_NONE);
}
CUresult cuCtxSetCacheConfig(CUfunc_cache) { return CUDA_SUCCESS; }
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return DriverCall().result_of(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned int) { return CUDA_ERROR_INVALID_DEVICE; }
CUresult cuCtxDisablePeerAccess(CUcontext) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; }
CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

}  // extern "C"
