#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace warpwise::io {

/// Refuses a truncated file: a JPEG or PNG file without its end marker, or a GIF file whose first
/// picture is incomplete. The decoders of these formats would fill the missing part with grey or
/// black. Accepts other formats, because their decoders notice truncated files themselves.
/// \throws IoError  the file ends before its image does.
void require_complete(std::span<const std::byte> content, const std::string& name);

/// Returns true if the start of a PNG file, before its pixels, declares an animation.
bool is_animated_png(std::span<const std::byte> start);

/// Returns the number of pictures in a PNG or GIF file that require_complete() accepts; 1 for other
/// formats. Truncated pictures of a GIF file do not count.
std::int64_t pictures_of_animation(std::span<const std::byte> content);

}  // namespace warpwise::io
