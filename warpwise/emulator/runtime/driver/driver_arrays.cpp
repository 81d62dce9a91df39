// The driver's CUDA arrays, texture and surface objects: the runtime's functions under other names.

#include <algorithm>

#include "warpwise/emulator/runtime/driver/driver.hpp"

using namespace warpwise::emulator::runtime;

// The functions below call cudaMemcpyToArray() and its relatives, which copy consecutive bytes to
// or from an array. The runtime has deprecated them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

cudaArray_t array_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

struct Format {
  CUarray_format name;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr Format formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

/// Converts a format; an unsupported one has 0 bits.
cudaChannelFormatDesc format_of(CUarray_format name, unsigned channels) {
  for (const Format& each : formats) {
    if (each.name != name) continue;
    const auto bits = [&](unsigned channel) { return channel < channels ? each.bits : 0; };
    return {bits(0), bits(1), bits(2), bits(3), each.kind};
  }
  return {};
}

CUarray_format name_of(const cudaChannelFormatDesc& format) {
  for (const Format& each : formats) {
    if (each.bits == format.x && each.kind == format.f) return each.name;
  }
  return CU_AD_FORMAT_FLOAT;
}

unsigned channels_of(const cudaChannelFormatDesc& format) {
  return format.z != 0 ? 4 : format.y != 0 ? 2 : 1;
}

CUresult resource_of(const CUDA_RESOURCE_DESC& given, cudaResourceDesc& resource) {
  switch (given.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array_of(given.res.array.hArray);
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = given.res.linear;
      resource.resType = cudaResourceTypeLinear;
      resource.res.linear = {pointer_of(linear.devPtr),
                             format_of(linear.format, linear.numChannels), linear.sizeInBytes};
      return CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& pitched = given.res.pitch2D;
      resource.resType = cudaResourceTypePitch2D;
      resource.res.pitch2D = {pointer_of(pitched.devPtr),
                              format_of(pitched.format, pitched.numChannels), pitched.width,
                              pitched.height, pitched.pitchInBytes};
      return CUDA_SUCCESS;
    }
    default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}

// Returns true if a texture converts its texels to normalised floats (cudaReadModeNormalizedFloat).
// Integers of 8 and 16 bits are converted, unless the flags request integers.
bool reads_fractions(const cudaResourceDesc& resource, unsigned flags) {
  cudaChannelFormatDesc format{};
  if (resource.resType == cudaResourceTypeArray)
    cudaArrayGetInfo(&format, nullptr, nullptr, resource.res.array.array);
  else
    format = resource.resType == cudaResourceTypeLinear ? resource.res.linear.desc
                                                        : resource.res.pitch2D.desc;
  return (flags & CU_TRSF_READ_AS_INTEGER) == 0 && format.f != cudaChannelFormatKindFloat &&
         format.x < 32;
}

}  // namespace

extern "C" {

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* given) {
  const cudaChannelFormatDesc format = format_of(given->Format, given->NumChannels);
  return DriverCall().result_of(cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &format,
                                                  {given->Width, given->Height, given->Depth},
                                                  given->Flags));
}
CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* given) {
  const cudaChannelFormatDesc format = format_of(given->Format, given->NumChannels);
  return DriverCall().result_of(cudaMallocArray(reinterpret_cast<cudaArray_t*>(array), &format,
                                                given->Width, given->Height, 0));
}
CUresult cuArrayDestroy(CUarray array) {
  return DriverCall().result_of(cudaFreeArray(array_of(array)));
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray array) {
  const DriverCall call;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;
  const cudaError_t error = cudaArrayGetInfo(&format, &extent, &flags, array_of(array));
  if (error != cudaSuccess) return result_of(error);
  *descriptor = {extent.width,    extent.height,       extent.depth,
                 name_of(format), channels_of(format), flags};
  return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR whole{};
  const CUresult result = cuArray3DGetDescriptor(&whole, array);
  *descriptor = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return result;
}

CUresult cuMemcpyHtoA(CUarray to, size_t x, const void* from, size_t bytes) {
  return DriverCall().result_of(
      cudaMemcpyToArray(array_of(to), x, 0, from, bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t x, const void* from, size_t bytes, CUstream stream) {
  return DriverCall().result_of(
      cudaMemcpyToArrayAsync(array_of(to), x, 0, from, bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyAtoH(void* to, CUarray from, size_t x, size_t bytes) {
  return DriverCall().result_of(
      cudaMemcpyFromArray(to, array_of(from), x, 0, bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray from, size_t x, size_t bytes, CUstream stream) {
  return DriverCall().result_of(
      cudaMemcpyFromArrayAsync(to, array_of(from), x, 0, bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyDtoA(CUarray to, size_t x, CUdeviceptr from, size_t bytes) {
  return cuMemcpyHtoA(to, x, pointer_of(from), bytes);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t x, size_t bytes) {
  return cuMemcpyAtoH(pointer_of(to), from, x, bytes);
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_x, CUarray from, size_t x, size_t bytes) {
  return DriverCall().result_of(cudaMemcpyArrayToArray(array_of(to), to_x, 0, array_of(from), x, 0,
                                                       bytes, cudaMemcpyDefault));
}

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* given,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  cudaResourceDesc resource{};
  const CUresult result = resource_of(*given, resource);
  if (result != CUDA_SUCCESS) return result;
  cudaTextureDesc description{};
  for (int d = 0; d < 3; ++d)  // both interfaces use the same numbers
    description.addressMode[d] = static_cast<cudaTextureAddressMode>(texture->addressMode[d]);
  description.filterMode = static_cast<cudaTextureFilterMode>(texture->filterMode);
  description.normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  description.readMode = reads_fractions(resource, texture->flags) ? cudaReadModeNormalizedFloat
                                                                   : cudaReadModeElementType;
  description.sRGB = (texture->flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  std::copy_n(texture->borderColor, 4, description.borderColor);
  cudaResourceViewDesc same_view{};
  if (view != nullptr) {
    same_view.format = static_cast<cudaResourceViewFormat>(view->format);
    same_view.width = view->width;
    same_view.height = view->height;
    same_view.depth = view->depth;
    same_view.firstMipmapLevel = view->firstMipmapLevel;
    same_view.lastMipmapLevel = view->lastMipmapLevel;
    same_view.firstLayer = view->firstLayer;
    same_view.lastLayer = view->lastLayer;
  }
  return DriverCall().result_of(cudaCreateTextureObject(object, &resource, &description,
                                                        view != nullptr ? &same_view : nullptr));
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return DriverCall().result_of(cudaDestroyTextureObject(object));
}
CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* given) {
  cudaResourceDesc resource{};
  const CUresult result = resource_of(*given, resource);
  return result != CUDA_SUCCESS
             ? result
             : DriverCall().result_of(cudaCreateSurfaceObject(object, &resource));
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return DriverCall().result_of(cudaDestroySurfaceObject(object));
}

}  // extern "C"
