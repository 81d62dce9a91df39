// Devices, errors, streams, events, graphs, textures.

#include <chrono>
#include <cstring>

#include "warpwise/emulator/runtime/registry.hpp"

using namespace warpwise::emulator;
using namespace warpwise::emulator::runtime;

// The runtime's handles are pointers to types that it leaves open.
struct CUevent_st {
  std::chrono::steady_clock::time_point time;
  bool recorded = false;
};
struct CUgraph_st {
  Work work;
};
struct CUgraphExec_st {
  Work work;
};
struct CUstream_st {
  int unused = 0;
};

namespace {

cudaError_t set(int* value, int to) {
  *value = to;
  return cudaSuccess;
}

// Of a GPU like an H200; a program may size its grid by it.
constexpr int multiprocessors = 132;

AddressMode address_mode(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap: return AddressMode::wrap;
    case cudaAddressModeMirror: return AddressMode::mirror;
    case cudaAddressModeBorder: return AddressMode::border;
    case cudaAddressModeClamp: break;
  }
  return AddressMode::clamp;
}

bool set_channels(Texture& texture, const cudaChannelFormatDesc& format) {
  texture.channels = format.z != 0 ? 4 : format.y != 0 ? 2 : 1;
  texture.channel_bytes = format.x / 8;
  switch (format.f) {
    case cudaChannelFormatKindSigned: texture.kind = TexelKind::signed_integer; return true;
    case cudaChannelFormatKindUnsigned: texture.kind = TexelKind::unsigned_integer; return true;
    case cudaChannelFormatKindFloat: texture.kind = TexelKind::floating; return true;
    default: return false;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return set(count, 1); }
cudaError_t cudaGetDevice(int* device) { return set(device, 0); }
cudaError_t cudaSetDevice(int device) {
  return report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaInitDevice(int, unsigned int, unsigned int) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return report(emulated().sticky); }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  *value = 0;
  return cudaSuccess;
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
  p->multiProcessorCount = multiprocessors;
  p->totalConstMem = 64 * 1024;
  p->textureAlignment = 512;
  p->texturePitchAlignment = 32;
  p->l2CacheSize = 50 * 1024 * 1024;
  p->memoryBusWidth = 5120;
  p->unifiedAddressing = p->managedMemory = p->concurrentKernels = p->cooperativeLaunch = 1;
  p->memoryPoolsSupported = 1;
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
    case cudaDevAttrManagedMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported: return set(value, 1);
    default: return set(value, 0);
  }
}

// ---- errors

cudaError_t cudaGetLastError() { return take_last_error(true); }
cudaError_t cudaPeekAtLastError() { return take_last_error(false); }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidPitchValue: return "cudaErrorInvalidPitchValue";
    case cudaErrorInvalidSymbol: return "cudaErrorInvalidSymbol";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorInvalidDeviceFunction: return "cudaErrorInvalidDeviceFunction";
    case cudaErrorMissingConfiguration: return "cudaErrorMissingConfiguration";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorMisalignedAddress: return "cudaErrorMisalignedAddress";
    case cudaErrorLaunchTimeout: return "cudaErrorLaunchTimeout";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    case cudaErrorAssert: return "cudaErrorAssert";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    default: return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaSuccess) return "no error";
  // The text of the error as the emulator knows it, for as long as the thread does not ask again.
  thread_local std::string text;
  const std::lock_guard lock(emulated().mutex);
  text = emulated().fault.empty() ? cudaGetErrorName(error) : emulated().fault;
  return text.c_str();
}

// ---- streams and events: all is done when a call returns

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return report(emulated().sticky); }
cudaError_t cudaStreamQuery(cudaStream_t) { return report(emulated().sticky); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return run_or_capture(stream, [event] {
    event->time = std::chrono::steady_clock::now();
    event->recorded = true;
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return report(emulated().sticky); }
cudaError_t cudaEventQuery(cudaEvent_t) { return report(emulated().sticky); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!start->recorded || !end->recorded) return report(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

// ---- graphs, by capture

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const std::lock_guard lock(emulated().mutex);
  emulated().captures[stream] = std::make_unique<Work>();
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const std::lock_guard lock(emulated().mutex);
  *status = emulated().captures.contains(stream) ? cudaStreamCaptureStatusActive
                                                 : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard lock(emulated().mutex);
  const auto found = emulated().captures.find(stream);
  if (found == emulated().captures.end()) return report(cudaErrorIllegalState);
  *graph = new CUgraph_st{std::move(*found->second)};
  emulated().captures.erase(found);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& step : executable->work) {
    const cudaError_t error = step();
    if (error != cudaSuccess) return report(error);
  }
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

// ---- textures over memory

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc*) {
  return guarded([&]() -> cudaError_t {
    Texture texture;
    if (resource->resType == cudaResourceTypeLinear) {
      const auto& linear = resource->res.linear;
      if (!set_channels(texture, linear.desc)) return cudaErrorNotSupported;
      texture.data = address_of(linear.devPtr);
      texture.width =
          linear.sizeInBytes / static_cast<std::size_t>(texture.channels * texture.channel_bytes);
    } else if (resource->resType == cudaResourceTypePitch2D) {
      const auto& pitched = resource->res.pitch2D;
      if (!set_channels(texture, pitched.desc)) return cudaErrorNotSupported;
      texture.data = address_of(pitched.devPtr);
      texture.width = pitched.width;
      texture.height = pitched.height;
      texture.pitch_bytes = pitched.pitchInBytes;
    } else {
      return cudaErrorNotSupported;
    }
    cudaDeviceProp limits{};
    cudaGetDeviceProperties(&limits, 0);
    if (texture.data % limits.textureAlignment != 0 ||
        texture.pitch_bytes % limits.texturePitchAlignment != 0) {
      return cudaErrorInvalidValue;
    }
    texture.normalized_float = description->readMode == cudaReadModeNormalizedFloat;
    texture.normalized_coordinates = description->normalizedCoords != 0;
    texture.address_mode = {address_mode(description->addressMode[0]),
                            address_mode(description->addressMode[1])};
    texture.filter =
        description->filterMode == cudaFilterModeLinear ? FilterMode::linear : FilterMode::point;
    *object = emulated().device.create_texture(texture);
    return cudaSuccess;
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return guarded([&] {
    emulated().device.destroy_texture(object);
    return cudaSuccess;
  });
}

}  // extern "C"
