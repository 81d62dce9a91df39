#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "warpwise/base/export.hpp"

namespace warpwise::gpu {

/// Modes of a texture, with the meaning they have in CUDA's texture descriptions:
/// - TextureAddress: the result for a coordinate outside the texture
/// - TextureFilter: the result for a coordinate between texels
/// - TexelKind: the type of a texel's channel
enum class TextureAddress : std::uint8_t { wrap, clamp, mirror, border };
enum class TextureFilter : std::uint8_t { point, linear };
enum class TexelKind : std::uint8_t { signed_integer, unsigned_integer, floating };

/// Device memory as a texture: linear (height 0), read by index, or pitched and two-dimensional.
struct TextureDescription {
  const std::byte* data = nullptr;  ///< a multiple of 512 bytes
  std::int64_t width = 0;           ///< in texels
  std::int64_t height = 0;          ///< 0: one-dimensional
  std::int64_t pitch_bytes = 0;     ///< two dimensions only: a multiple of 32
  int channels = 1;                 ///< 1, 2 or 4
  int channel_bytes = 1;            ///< 1, 2 or 4; floats 2 or 4
  TexelKind kind = TexelKind::unsigned_integer;
  bool normalized_float = false;  ///< integers of 1 or 2 bytes are read as 0 ... 1 or -1 ... 1
  bool normalized_coordinates = false;
  std::array<TextureAddress, 2> address{TextureAddress::clamp, TextureAddress::clamp};
  TextureFilter filter = TextureFilter::point;  ///< linear only for texels that are read as floats
};

/// Owns a texture object over device memory that it does not own. Move-only.
class WARPWISE_EXPORT Texture {
 public:
  /// \throws NoCudaDevice
  /// \throws InvalidArgument  a number of channels or bytes not listed above, or a negative size
  /// \throws CudaError        CUDA does not accept the alignment or the size
  explicit Texture(const TextureDescription& description);
  ~Texture();
  Texture(Texture&& other) noexcept : handle_(other.handle_) { other.handle_ = 0; }
  Texture& operator=(Texture&& other) noexcept;

  /// Returns the value that a kernel takes as its cudaTextureObject_t.
  std::uint64_t handle() const { return handle_; }

 private:
  std::uint64_t handle_ = 0;
};

}  // namespace warpwise::gpu
