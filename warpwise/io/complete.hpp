#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpwise::io {

/// Refuses a truncated file: JPEG or PNG without its end marker, GIF without its whole first
/// picture. Their decoders would fill the missing part with grey or black. Accepts other formats,
/// because their decoders notice truncated files themselves.
/// \throws IoError  the file ends before its image does.
void require_complete(std::span<const std::byte> content, const std::string& name);

/// Returns true if the start of a PNG file, before its pixels, declares an animation.
bool is_animated_png(std::span<const std::byte> start);

}  // namespace warpwise::io
