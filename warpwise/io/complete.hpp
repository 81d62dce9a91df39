#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpwise::io {

/// Refuses a JPEG or PNG file that was cut short, which decoders fill up with grey or black
/// instead of refusing it: walks the segments or chunks to the end marker. Accepts other formats,
/// whose decoders notice cut files themselves.
/// \throws IoError  the file ends before its image does.
void require_complete(std::span<const std::byte> content, const std::string& name);

}  // namespace warpwise::io
