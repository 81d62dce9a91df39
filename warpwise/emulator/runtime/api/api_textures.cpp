// Texture and surface objects, over memory and CUDA arrays.

#include <algorithm>

#include "warpwise/emulator/runtime/api/arrays.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"

using warpwise::emulator::AddressMode;
using warpwise::emulator::FilterMode;
using warpwise::emulator::TexelKind;
using warpwise::emulator::Texture;
using namespace warpwise::emulator::runtime;

namespace {

AddressMode address_mode(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap: return AddressMode::wrap;
    case cudaAddressModeMirror: return AddressMode::mirror;
    case cudaAddressModeBorder: return AddressMode::border;
    case cudaAddressModeClamp: break;
  }
  return AddressMode::clamp;
}

/// Sets a texture's channels from the description of an array or of memory.
cudaError_t set_channels(Texture& texture, const cudaChannelFormatDesc& format) {
  switch (format.f) {
    case cudaChannelFormatKindSigned: texture.kind = TexelKind::signed_integer; break;
    case cudaChannelFormatKindUnsigned: texture.kind = TexelKind::unsigned_integer; break;
    case cudaChannelFormatKindFloat: texture.kind = TexelKind::floating; break;
    default: return cudaErrorNotSupported;
  }
  if (!is_texel(format)) return cudaErrorInvalidChannelDescriptor;
  texture.channels = format.z != 0 ? 4 : format.y != 0 ? 2 : 1;
  texture.channel_bytes = format.x / 8;
  return cudaSuccess;
}

cudaError_t set_array(Texture& texture, cudaArray_t array) {
  if (array == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = set_channels(texture, array->format);
  if (error != cudaSuccess) return error;
  texture.data = array->data;
  texture.width = array->extent.width;
  texture.height = array->extent.height;
  texture.depth = array->extent.depth;
  texture.pitch_bytes = array->row_bytes;
  texture.slice_bytes = array->row_bytes * array->rows;
  texture.layered = (array->flags & cudaArrayLayered) != 0;
  texture.cube = (array->flags & cudaArrayCubemap) != 0;
  return cudaSuccess;
}

cudaError_t set_memory(Texture& texture, const cudaResourceDesc& resource) {
  cudaDeviceProp limits{};
  cudaGetDeviceProperties(&limits, 0);
  if (resource.resType == cudaResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    const cudaError_t error = set_channels(texture, linear.desc);
    if (error != cudaSuccess) return error;
    texture.data = address_of(linear.devPtr);
    texture.width = linear.sizeInBytes / texture.texel_bytes();
  } else {
    const auto& pitched = resource.res.pitch2D;
    const cudaError_t error = set_channels(texture, pitched.desc);
    if (error != cudaSuccess) return error;
    texture.data = address_of(pitched.devPtr);
    texture.width = pitched.width;
    texture.height = pitched.height;
    texture.pitch_bytes = pitched.pitchInBytes;
  }
  const bool aligned = texture.data % limits.textureAlignment == 0 &&
                       texture.pitch_bytes % limits.texturePitchAlignment == 0;
  return aligned ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t set_resource(Texture& texture, const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeArray: return set_array(texture, resource.res.array.array);
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D: return set_memory(texture, resource);
    default: return cudaErrorNotSupported;
  }
}

/// Returns the format of a resource view that reads a texture's texels as they are.
cudaResourceViewFormat view_format_of(const Texture& texture) {
  const int size = texture.channel_bytes == 4 ? 2 : texture.channel_bytes - 1;
  const bool is_signed = texture.kind == TexelKind::signed_integer;
  // The formats of integers come first, by size. For each size, unsigned comes before signed.
  const int kind = texture.kind == TexelKind::floating ? 5 + size : 2 * size + (is_signed ? 1 : 0);
  return static_cast<cudaResourceViewFormat>(1 + 3 * kind + texture.channels / 2);
}

/// Checks a resource view. Only the view of the whole array in its own format is supported.
cudaError_t check_view(const Texture& texture, cudaResourceType type,
                       const cudaResourceViewDesc& view) {
  if (type != cudaResourceTypeArray) return cudaErrorInvalidValue;
  const bool own_format =
      view.format == cudaResViewFormatNone || view.format == view_format_of(texture);
  const bool has_layers = texture.layered || texture.cube;
  const bool whole = view.width == texture.width && view.height == texture.height &&
                     view.depth == (has_layers ? 0 : texture.depth) && view.firstMipmapLevel == 0 &&
                     view.lastMipmapLevel == 0 && view.firstLayer == 0 &&
                     view.lastLayer == (has_layers ? texture.depth - 1 : 0);
  return own_format && whole ? cudaSuccess : cudaErrorNotSupported;
}

}  // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  return guarded([&]() -> cudaError_t {
    Texture texture;
    cudaError_t error = set_resource(texture, *resource);
    if (error == cudaSuccess && view != nullptr)
      error = check_view(texture, resource->resType, *view);
    if (error != cudaSuccess) return error;
    texture.normalized_float = description->readMode == cudaReadModeNormalizedFloat;
    texture.normalized_coordinates = description->normalizedCoords != 0;
    for (std::size_t d = 0; d < 3; ++d)
      texture.address_mode[d] = address_mode(description->addressMode[d]);
    texture.filter =
        description->filterMode == cudaFilterModeLinear ? FilterMode::linear : FilterMode::point;
    std::copy_n(description->borderColor, 4, texture.border_color.begin());
    texture.srgb = description->sRGB != 0;
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

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return guarded([&]() -> cudaError_t {
    if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    Texture texture;
    const cudaError_t error = set_array(texture, resource->res.array.array);
    if (error != cudaSuccess) return error;
    *object = emulated().device.create_texture(texture);
    return cudaSuccess;
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return cudaDestroyTextureObject(object);
}

}  // extern "C"
