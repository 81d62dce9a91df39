#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace warpwise::io {

struct ImageFormat {
  std::string_view name;        ///< "PNG", "JPEG", "GIF", …
  bool in_every_opencv = true;  ///< false: some builds of OpenCV read it and others do not
};

/// Number of bytes at a file's start that suffice to recognise its image format.
inline constexpr std::size_t image_format_bytes = 132;

/// Recognises a file's format by its first bytes, `start`. Returns nullopt for a format that no
/// build of OpenCV reads.
std::optional<ImageFormat> image_format_of(std::span<const std::byte> start);

}  // namespace warpwise::io
