#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "warpwise/emulator/runtime/api/pools.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"

using namespace warpwise::emulator;
using namespace warpwise::emulator::runtime;

namespace {

template <class Value>
cudaError_t set(Value* value, Value to) {
  if (value == nullptr) return report(cudaErrorInvalidValue);
  *value = to;
  return cudaSuccess;
}

// Largest textures and surfaces of an H200, by attribute. All GPUs that are emulated here have the
// same limits.
struct Size {
  cudaDeviceAttr attribute;
  int value;
};
constexpr Size sizes[] = {{cudaDevAttrMaxTexture1DWidth, 131072},
                          {cudaDevAttrMaxTexture2DWidth, 131072},
                          {cudaDevAttrMaxTexture2DHeight, 65536},
                          {cudaDevAttrMaxTexture3DWidth, 16384},
                          {cudaDevAttrMaxTexture3DHeight, 16384},
                          {cudaDevAttrMaxTexture3DDepth, 16384},
                          {cudaDevAttrMaxTexture3DWidthAlt, 8192},
                          {cudaDevAttrMaxTexture3DHeightAlt, 8192},
                          {cudaDevAttrMaxTexture3DDepthAlt, 32768},
                          {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
                          {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
                          {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
                          {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
                          {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
                          {cudaDevAttrMaxTexture2DGatherWidth, 32768},
                          {cudaDevAttrMaxTexture2DGatherHeight, 32768},
                          {cudaDevAttrMaxTextureCubemapWidth, 32768},
                          {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
                          {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
                          {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
                          {cudaDevAttrMaxTexture2DLinearWidth, 131072},
                          {cudaDevAttrMaxTexture2DLinearHeight, 65000},
                          {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
                          {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
                          {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
                          {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
                          {cudaDevAttrMaxSurface1DWidth, 32768},
                          {cudaDevAttrMaxSurface2DWidth, 131072},
                          {cudaDevAttrMaxSurface2DHeight, 65536},
                          {cudaDevAttrMaxSurface3DWidth, 16384},
                          {cudaDevAttrMaxSurface3DHeight, 16384},
                          {cudaDevAttrMaxSurface3DDepth, 16384},
                          {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
                          {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
                          {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
                          {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
                          {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
                          {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
                          {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
                          {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046}};

/// Returns the attribute's value in the table of sizes; 0 if it is not there.
int size_of(cudaDeviceAttr attribute) {
  for (const Size& each : sizes) {
    if (each.attribute == attribute) return each.value;
  }
  return 0;
}

void set_sizes(cudaDeviceProp& p) {
  const auto fill = [](int* to, std::initializer_list<cudaDeviceAttr> attributes) {
    for (const cudaDeviceAttr each : attributes) *to++ = size_of(each);
  };
  fill(&p.maxTexture1D, {cudaDevAttrMaxTexture1DWidth});
  fill(&p.maxTexture1DMipmap, {cudaDevAttrMaxTexture1DMipmappedWidth});
  fill(p.maxTexture2D, {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight});
  fill(p.maxTexture2DMipmap,
       {cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight});
  fill(p.maxTexture2DLinear,
       {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight,
        cudaDevAttrMaxTexture2DLinearPitch});
  fill(p.maxTexture2DGather,
       {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight});
  fill(p.maxTexture3D,
       {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth});
  fill(p.maxTexture3DAlt, {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt,
                           cudaDevAttrMaxTexture3DDepthAlt});
  fill(&p.maxTextureCubemap, {cudaDevAttrMaxTextureCubemapWidth});
  fill(p.maxTexture1DLayered,
       {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers});
  fill(p.maxTexture2DLayered,
       {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
        cudaDevAttrMaxTexture2DLayeredLayers});
  fill(p.maxTextureCubemapLayered,
       {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers});
  fill(&p.maxSurface1D, {cudaDevAttrMaxSurface1DWidth});
  fill(p.maxSurface2D, {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight});
  fill(p.maxSurface3D,
       {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth});
  fill(p.maxSurface1DLayered,
       {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers});
  fill(p.maxSurface2DLayered,
       {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
        cudaDevAttrMaxSurface2DLayeredLayers});
  fill(&p.maxSurfaceCubemap, {cudaDevAttrMaxSurfaceCubemapWidth});
  fill(p.maxSurfaceCubemapLayered,
       {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers});
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
  const cudaError_t refused = refuse_wait_for_all();
  if (refused != cudaSuccess) return refused;
  if (StreamOrder* const order = stream_order()) order->host_waits_for_all();
  return report(emulated().sticky);
}
cudaError_t cudaDeviceReset() {
  if (StreamOrder* const order = stream_order()) order->host_waits_for_all();
  destroy_streams_and_events();
  free_all_memory();
  reset_pools();
  cudaDeviceGraphMemTrim(0);
  const std::lock_guard lock(emulated().mutex);
  emulated().limits = default_limits();
  for (auto& [function, kernel] : emulated().kernels) {
    kernel.dynamic_shared_asked_for.reset();
    kernel.allows_large_clusters = false;
  }
  for (const auto& module : emulated().modules) {
    if (module->program != nullptr) module->program->initialise(emulated().device);
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  const cudaError_t refused = refuse_unsafe_call();
  if (refused != cudaSuccess) return refused;
  if (limit == cudaLimitStackSize && value > most_local_bytes) return report(cudaErrorInvalidValue);
  const std::lock_guard lock(emulated().mutex);
  emulated().limits[limit] = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  const std::lock_guard lock(emulated().mutex);
  return set<std::size_t>(value, emulated().limits[limit]);
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return set(device, 0); }
cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return set<unsigned>(flags, cudaDeviceScheduleAuto);
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
  return set(config, cudaFuncCachePreferNone);
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return set(config, cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// There is one GPU, so it has no peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) return report(cudaErrorInvalidValue);
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
  if (p == nullptr) return report(cudaErrorInvalidValue);
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
  p->memPitch = std::numeric_limits<int>::max();
  p->reservedSharedMemPerBlock = static_cast<std::size_t>(sm.reserved_shared_per_block);
  p->streamPrioritiesSupported = 1;
  set_sizes(*p);
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
  if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
    return report(cudaErrorInvalidValue);
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
    case cudaDevAttrTotalConstantMemory: return set(value, static_cast<int>(p.totalConstMem));
    case cudaDevAttrTextureAlignment: return set(value, static_cast<int>(p.textureAlignment));
    case cudaDevAttrTexturePitchAlignment:
      return set(value, static_cast<int>(p.texturePitchAlignment));
    case cudaDevAttrGlobalMemoryBusWidth: return set(value, p.memoryBusWidth);
    case cudaDevAttrMaxPitch: return set(value, static_cast<int>(p.memPitch));
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return set(value, static_cast<int>(p.reservedSharedMemPerBlock));
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrHostRegisterSupported: return set(value, 1);
    default: return set(value, size_of(attribute));
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
