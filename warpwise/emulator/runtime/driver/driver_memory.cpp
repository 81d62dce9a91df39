// The driver's memory: allocation, copies, fills and pointers.

#include <algorithm>
#include <cstring>

#include "warpwise/emulator/runtime/api/arrays.hpp"
#include "warpwise/emulator/runtime/checks/copy_check.hpp"
#include "warpwise/emulator/runtime/checks/stream_order.hpp"
#include "warpwise/emulator/runtime/driver/driver.hpp"
#include "warpwise/emulator/runtime/reports/explain_record.hpp"

using namespace warpwise::emulator::runtime;

namespace {

CUresult copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return DriverCall().result_of(cudaMemcpy(to, from, bytes, kind));
}
CUresult copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, CUstream stream) {
  return DriverCall().result_of(cudaMemcpyAsync(to, from, bytes, kind, stream));
}

// Accepts only device addresses, so that host memory is not accessed by mistake.
bool is_device(CUdeviceptr address, std::size_t bytes) {
  if (bytes == 0 || emulated().device.holds(address)) return true;
  report_bad_copy("an address outside of the device's memory");
  return false;
}

// The source or the destination of a 2D or 3D copy, from CUDA_MEMCPY2D or CUDA_MEMCPY3D.
struct End {
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t x_bytes, y, z, pitch, height;
};

cudaPitchedPtr memory_of(const End& end, std::size_t width, std::size_t rows) {
  void* pointer = end.type == CU_MEMORYTYPE_HOST ? end.host : pointer_of(end.device);
  return {pointer, end.pitch != 0 ? end.pitch : end.x_bytes + width, end.x_bytes + width,
          end.height != 0 ? end.height : end.y + rows};
}

// Returns the size of an array's element, because the runtime's copies count elements.
std::size_t element_bytes(CUarray array) {
  cudaChannelFormatDesc format{};
  cudaArrayGetInfo(&format, nullptr, nullptr, reinterpret_cast<cudaArray_t>(array));
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8);
}

cudaMemcpy3DParms parameters_of(const End& from, const End& to, std::size_t width,
                                std::size_t height, std::size_t depth) {
  cudaMemcpy3DParms copy{};
  copy.kind = cudaMemcpyDefault;
  copy.extent = {width, height, depth};
  const bool from_array = from.type == CU_MEMORYTYPE_ARRAY;
  const bool to_array = to.type == CU_MEMORYTYPE_ARRAY;
  const std::size_t element = from_array ? element_bytes(from.array)
                              : to_array ? element_bytes(to.array)
                                         : 1;
  copy.extent.width /= element;
  copy.srcPos = {from_array ? from.x_bytes / element : from.x_bytes, from.y, from.z};
  copy.dstPos = {to_array ? to.x_bytes / element : to.x_bytes, to.y, to.z};
  if (from_array)
    copy.srcArray = reinterpret_cast<cudaArray_t>(from.array);
  else
    copy.srcPtr = memory_of(from, width, height);
  if (to_array)
    copy.dstArray = reinterpret_cast<cudaArray_t>(to.array);
  else
    copy.dstPtr = memory_of(to, width, height);
  return copy;
}

cudaMemcpy3DParms parameters_of(const CUDA_MEMCPY2D& c) {
  return parameters_of({c.srcMemoryType, const_cast<void*>(c.srcHost), c.srcDevice, c.srcArray,
                        c.srcXInBytes, c.srcY, 0, c.srcPitch, 0},
                       {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY,
                        0, c.dstPitch, 0},
                       c.WidthInBytes, c.Height, 1);
}
cudaMemcpy3DParms parameters_of(const CUDA_MEMCPY3D& c) {
  return parameters_of({c.srcMemoryType, const_cast<void*>(c.srcHost), c.srcDevice, c.srcArray,
                        c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch, c.srcHeight},
                       {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY,
                        c.dstZ, c.dstPitch, c.dstHeight},
                       c.WidthInBytes, c.Height, c.Depth);
}

CUresult slices(const cudaMemcpy3DParms& copy) {
  return DriverCall().result_of(cudaMemcpy3D(&copy));
}
CUresult slices(const cudaMemcpy3DParms& copy, CUstream stream) {
  return DriverCall().result_of(cudaMemcpy3DAsync(&copy, stream));
}

// Fills rows with a value of `element` bytes.
CUresult fill(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t element,
              std::size_t width, std::size_t height, CUstream stream) {
  if (to % element != 0 || (height > 1 && pitch % element != 0)) return CUDA_ERROR_INVALID_VALUE;
  return DriverCall().result_of(run_or_capture(stream, cudaGraphNodeTypeMemset, [=] {
    return guarded([&] {
      if (width == 0 || height == 0) return cudaSuccess;
      if (ChecksAlone::exist() && !is_memory_of_host(pointer_of(to))) return cudaSuccess;
      check_fill({pointer_of(to), pitch, width * element, height});
      emulated().device.bytes_at(to, pitch * (height - 1) + width * element);  // checks the range
      const WorkScope scope;
      WorkScope::touch(pointer_of(to), pitch, width * element, height,
                       warpwise::emulator::Use::write);
      for (std::size_t y = 0; y < height; ++y) {
        std::byte* const row = emulated().device.host_pointer(to + y * pitch, width * element);
        for (std::size_t x = 0; x < width; ++x) std::memcpy(row + x * element, &value, element);
      }
      record_fill(pointer_of(to), width * element * height);
      return cudaSuccess;
    });
  }));
}

// Fills memory for a synchronous call. If the host can access the memory, the check of stream order
// records that the host has waited for the fill. A GPU does not wait for a fill of device memory.
CUresult fill_now(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t element,
                  std::size_t width, std::size_t height) {
  const CUresult result = fill(to, pitch, value, element, width, height, nullptr);
  if (result == CUDA_SUCCESS) wait_for_copy(pointer_of(to), pointer_of(to), cudaSuccess);
  return result;
}

// Gives an attribute of a pointer; zeros if `known` is empty.
CUresult give_attribute(void* value, CUpointer_attribute attribute,
                        const cudaPointerAttributes& known) {
  const auto give = [&](auto what) {
    std::memcpy(value, &what, sizeof(what));
    return CUDA_SUCCESS;
  };
  const bool is_known = known.type != cudaMemoryTypeUnregistered;
  const auto range = emulated().device.allocation_of(device_address(known.devicePointer));
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      CUcontext context = nullptr;
      if (is_known) cuCtxGetCurrent(&context);
      return give(context);
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(!is_known                          ? 0
                  : known.type == cudaMemoryTypeHost ? static_cast<int>(CU_MEMORYTYPE_HOST)
                                                     : static_cast<int>(CU_MEMORYTYPE_DEVICE));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return give(known.devicePointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: return give(known.hostPointer);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:  // four bytes, as on a GPU
      return give(known.type == cudaMemoryTypeManaged ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return give(known.device);
    case CU_POINTER_ATTRIBUTE_MAPPED: return give(is_known);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return give(range.first);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return give(range.second);
    default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total) {
  return DriverCall().result_of(cudaMemGetInfo(free_bytes, total));
}
CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return DriverCall().result_of(cudaMalloc(reinterpret_cast<void**>(address), bytes));
}
CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                         unsigned int) {
  return DriverCall().result_of(
      cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height));
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return DriverCall().result_of(cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags));
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return DriverCall().result_of(cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream));
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return DriverCall().result_of(
      cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream));
}
CUresult cuMemFree(CUdeviceptr address) {
  return DriverCall().result_of(cudaFree(pointer_of(address)));
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return DriverCall().result_of(cudaFreeAsync(pointer_of(address), stream));
}
CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return DriverCall().result_of(cudaMallocHost(pointer, bytes));
}
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return DriverCall().result_of(cudaHostAlloc(pointer, bytes, flags));
}
CUresult cuMemFreeHost(void* pointer) { return DriverCall().result_of(cudaFreeHost(pointer)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned int flags) {
  return DriverCall().result_of(
      cudaHostGetDevicePointer(reinterpret_cast<void**>(address), pointer, flags));
}
CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return DriverCall().result_of(cudaHostRegister(pointer, bytes, flags));
}
CUresult cuMemHostUnregister(void* pointer) {
  return DriverCall().result_of(cudaHostUnregister(pointer));
}

// These calls do nothing, because the memory's location changes no result.
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUmemLocation) { return CUDA_SUCCESS; }
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUmemLocation, unsigned int, CUstream stream) {
  return DriverCall().result_of(refuse_stream(stream));
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaMemPoolProps any{};  // the emulated pools ignore their properties
  return DriverCall().result_of(cudaMemPoolCreate(pool, &any));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return DriverCall().result_of(cudaMemPoolDestroy(pool));
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  return DriverCall().result_of(cudaMemPoolTrimTo(pool, bytes));
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return DriverCall().result_of(
      cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return DriverCall().result_of(
      cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count) {
  // The emulated pools ignore the content, which is the same in both interfaces.
  return DriverCall().result_of(
      cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(access), count));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  if (!is_device(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(pointer_of(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  if (!is_device(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  if (!is_device(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (!is_device(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (!is_device(to, bytes) || !is_device(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (!is_device(to, bytes) || !is_device(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return copy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes,
                           CUstream stream) {
  return copy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* given) { return slices(parameters_of(*given)); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* given) { return slices(parameters_of(*given)); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* given, CUstream stream) {
  return slices(parameters_of(*given), stream);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* given) { return slices(parameters_of(*given)); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* given, CUstream stream) {
  return slices(parameters_of(*given), stream);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill_now(to, count, value, 1, count, 1);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill_now(to, 2 * count, value, 2, count, 1);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) {
  return fill_now(to, 4 * count, value, 4, count, 1);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return fill_now(to, pitch, value, 1, width, height);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return fill_now(to, pitch, value, 2, width, height);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                       size_t height) {
  return fill_now(to, pitch, value, 4, width, height);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(to, count, value, 1, count, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill(to, 2 * count, value, 2, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  return fill(to, 4 * count, value, 4, count, 1, stream);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return fill(to, pitch, value, 1, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return fill(to, pitch, value, 2, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                            size_t height, CUstream stream) {
  return fill(to, pitch, value, 4, width, height, stream);
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  const DriverCall call;
  cudaPointerAttributes known{};
  const cudaError_t error = cudaPointerGetAttributes(&known, pointer_of(address));
  if (error != cudaSuccess) return result_of(error);
  if (known.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
  return give_attribute(value, attribute, known);
}
// Gives zeros for memory that the GPU does not know.
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr address) {
  const DriverCall call;
  cudaPointerAttributes known{};
  const cudaError_t error = cudaPointerGetAttributes(&known, pointer_of(address));
  if (error != cudaSuccess) return result_of(error);
  if (known.type == cudaMemoryTypeUnregistered) known = {};
  for (unsigned i = 0; i < count; ++i) give_attribute(values[i], attributes[i], known);
  return CUDA_SUCCESS;
}
CUresult cuPointerSetAttribute(const void*, CUpointer_attribute, CUdeviceptr) {
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  const auto [begin, size] = emulated().device.allocation_of(address);
  if (size == 0) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = begin;
  if (bytes != nullptr) *bytes = size;
  return CUDA_SUCCESS;
}

}  // extern "C"
