#include <algorithm>
#include <cstring>
#include <string_view>

#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"

using namespace warpwise::emulator;
using namespace warpwise::emulator::runtime;

namespace {

cudaError_t set(int* value, int to) {
  *value = to;
  return cudaSuccess;
}

struct NamedError {
  int value;
  const char* name;
  const char* words;
};
constexpr NamedError names[] = {
#include "error_words.inc"
};

const NamedError* named_error(cudaError_t error) {
  const auto* const found = std::find_if(std::begin(names), std::end(names), [&](auto& each) {
    return each.value == static_cast<int>(error);
  });
  return found == std::end(names) ? nullptr : found;
}

constexpr std::string_view bus_id = "0000:01:00.0";

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return set(count, 1); }
cudaError_t cudaGetDevice(int* device) { return set(device, 0); }
cudaError_t cudaSetDevice(int device) {
  return report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaInitDevice(int, unsigned int, unsigned int) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() {
  if (StreamOrder* const order = stream_order()) order->host_waits_for_all();
  return report(emulated().sticky);
}
cudaError_t cudaDeviceReset() {
  if (StreamOrder* const order = stream_order()) order->host_waits_for_all();
  forget_allocations();
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitStackSize && value > most_local_bytes) return report(cudaErrorInvalidValue);
  const std::lock_guard lock(emulated().mutex);
  emulated().limits[limit] = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  const std::lock_guard lock(emulated().mutex);
  *value = emulated().limits[limit];
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return set(device, 0); }
cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  *flags = cudaDeviceScheduleAuto;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  if (id == nullptr || bytes <= 0) return report(cudaErrorInvalidValue);
  const std::size_t length = std::min(bus_id.size(), static_cast<std::size_t>(bytes) - 1);
  std::memcpy(id, bus_id.data(), length);
  id[length] = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return id == bus_id ? set(device, 0) : report(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// There is one GPU, so it has no peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = 0;
  return report(device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return report(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return report(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return report(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int* version) { return set(version, CUDART_VERSION); }
cudaError_t cudaRuntimeGetVersion(int* version) { return set(version, CUDART_VERSION); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  const warpwise::rules::ComputeCapability cc = emulated().cc;
  const warpwise::rules::SmLimits sm = warpwise::rules::sm_limits(cc);
  *p = {};
  const std::string name = "Warpwise emulator (CC " + warpwise::rules::to_string(cc) + ")";
  std::strncpy(p->name, name.c_str(), sizeof(p->name) - 1);
  p->major = cc.major;
  p->minor = cc.minor;
  p->totalGlobalMem = emulated().device.memory().second;
  p->sharedMemPerBlock = 48 * 1024;
  p->sharedMemPerBlockOptin = static_cast<std::size_t>(sm.max_shared_per_block);
  p->sharedMemPerMultiprocessor = static_cast<std::size_t>(sm.shared_bytes);
  p->regsPerBlock = p->regsPerMultiprocessor = sm.registers;
  p->warpSize = 32;
  p->maxThreadsPerBlock = sm.threads_per_block;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = sm.threads_per_block;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->maxThreadsPerMultiProcessor = sm.warps * 32;
  p->maxBlocksPerMultiProcessor = sm.blocks;
  p->multiProcessorCount = emulated().multiprocessors;
  p->totalConstMem = 64 * 1024;
  p->textureAlignment = 512;
  p->texturePitchAlignment = 32;
  p->l2CacheSize = 50 * 1024 * 1024;
  p->memoryBusWidth = 5120;
  if (cc.major >= 8) {
    p->persistingL2CacheMaxSize = 30 * 1024 * 1024;
    p->accessPolicyMaxWindowSize = 128 * 1024 * 1024;
  }
  p->unifiedAddressing = p->managedMemory = p->concurrentKernels = p->cooperativeLaunch = 1;
  p->memoryPoolsSupported = p->canMapHostMemory = p->hostRegisterSupported = 1;
  p->clusterLaunch = cc.major >= 9 ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  cudaDeviceProp p{};
  cudaGetDeviceProperties(&p, 0);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return set(value, p.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX: return set(value, p.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY: return set(value, p.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ: return set(value, p.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX: return set(value, p.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY: return set(value, p.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ: return set(value, p.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return set(value, static_cast<int>(p.sharedMemPerBlock));
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return set(value, static_cast<int>(p.sharedMemPerBlockOptin));
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return set(value, static_cast<int>(p.sharedMemPerMultiprocessor));
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return set(value, p.regsPerBlock);
    case cudaDevAttrWarpSize: return set(value, 32);
    case cudaDevAttrMultiProcessorCount: return set(value, p.multiProcessorCount);
    case cudaDevAttrMaxThreadsPerMultiProcessor: return set(value, p.maxThreadsPerMultiProcessor);
    case cudaDevAttrMaxBlocksPerMultiprocessor: return set(value, p.maxBlocksPerMultiProcessor);
    case cudaDevAttrComputeCapabilityMajor: return set(value, p.major);
    case cudaDevAttrComputeCapabilityMinor: return set(value, p.minor);
    case cudaDevAttrL2CacheSize: return set(value, p.l2CacheSize);
    case cudaDevAttrMaxPersistingL2CacheSize: return set(value, p.persistingL2CacheMaxSize);
    case cudaDevAttrMaxAccessPolicyWindowSize: return set(value, p.accessPolicyMaxWindowSize);
    case cudaDevAttrClusterLaunch: return set(value, p.clusterLaunch);
    case cudaDevAttrManagedMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrHostRegisterSupported: return set(value, 1);
    default: return set(value, 0);
  }
}

cudaError_t cudaGetLastError() { return take_last_error(true); }
cudaError_t cudaPeekAtLastError() { return take_last_error(false); }
const char* cudaGetErrorName(cudaError_t error) {
  const NamedError* const found = named_error(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}
const char* cudaGetErrorString(cudaError_t error) {
  const NamedError* const found = named_error(error);
  return found == nullptr ? "unrecognized error code" : found->words;
}

}  // extern "C"
