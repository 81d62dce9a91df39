#include "warpwise/gpu/texture.hpp"

#include <string>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::gpu {
namespace {

cudaTextureAddressMode mode_of(TextureAddress address) {
  switch (address) {
    case TextureAddress::wrap: return cudaAddressModeWrap;
    case TextureAddress::clamp: return cudaAddressModeClamp;
    case TextureAddress::mirror: return cudaAddressModeMirror;
    case TextureAddress::border: return cudaAddressModeBorder;
  }
  throw InvalidArgument("the texture has an unknown address mode");
}

cudaChannelFormatKind kind_of(TexelKind kind) {
  switch (kind) {
    case TexelKind::signed_integer: return cudaChannelFormatKindSigned;
    case TexelKind::unsigned_integer: return cudaChannelFormatKindUnsigned;
    case TexelKind::floating: return cudaChannelFormatKindFloat;
  }
  throw InvalidArgument("the texture has an unknown kind of texels");
}

cudaChannelFormatDesc format_of(const TextureDescription& d) {
  const auto is_one_of_sizes = [](int n) { return n == 1 || n == 2 || n == 4; };
  if (!is_one_of_sizes(d.channels) || !is_one_of_sizes(d.channel_bytes) ||
      (d.kind == TexelKind::floating && d.channel_bytes == 1)) {
    throw InvalidArgument("a texture of " + std::to_string(d.channels) + " channels of " +
                          std::to_string(d.channel_bytes) +
                          " bytes: both are 1, 2 or 4, and floats have 2 or 4 bytes");
  }
  const int bits = 8 * d.channel_bytes;
  return {bits, d.channels > 1 ? bits : 0, d.channels > 2 ? bits : 0, d.channels > 2 ? bits : 0,
          kind_of(d.kind)};
}

// CUDA's interface takes a pointer to non-const, although it only reads.
void* place_of(const TextureDescription& d) { return const_cast<std::byte*>(d.data); }

cudaResourceDesc resource_of(const TextureDescription& d) {
  cudaResourceDesc resource{};
  const cudaChannelFormatDesc format = format_of(d);
  if (d.width < 0 || d.height < 0 || d.pitch_bytes < 0) {
    throw InvalidArgument("a texture of " + std::to_string(d.width) + " x " +
                          std::to_string(d.height) + " texels with a pitch of " +
                          std::to_string(d.pitch_bytes) + " bytes");
  }
  const auto width = static_cast<std::size_t>(d.width);
  if (d.height == 0) {
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = place_of(d);
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes =
        width * static_cast<std::size_t>(d.channels) * static_cast<std::size_t>(d.channel_bytes);
  } else {
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = place_of(d);
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = static_cast<std::size_t>(d.height);
    resource.res.pitch2D.pitchInBytes = static_cast<std::size_t>(d.pitch_bytes);
  }
  return resource;
}

}  // namespace

Texture::Texture(const TextureDescription& description) {
  const cudaResourceDesc resource = resource_of(description);
  require_device();
  cudaTextureDesc reading{};
  reading.addressMode[0] = mode_of(description.address[0]);
  reading.addressMode[1] = mode_of(description.address[1]);
  reading.filterMode =
      description.filter == TextureFilter::linear ? cudaFilterModeLinear : cudaFilterModePoint;
  reading.readMode =
      description.normalized_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  reading.normalizedCoords = description.normalized_coordinates ? 1 : 0;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &reading, nullptr), "cudaCreateTextureObject");
  handle_ = texture;
}

Texture::~Texture() {
  if (handle_ != 0) cudaDestroyTextureObject(handle_);
}

Texture& Texture::operator=(Texture&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

}  // namespace warpwise::gpu
