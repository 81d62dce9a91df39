#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// Returns true for the formats that decode_pnm() reads: "PBM", "PGM", "PPM", "PAM".
bool is_pnm(std::string_view format);

/// Decodes the first picture of a PBM, PGM or PPM file, plain or raw, or of a PAM file:
///
/// - A maximum of up to 255 gives u8, a larger one u16.
/// - Samples are scaled to the type's full range, rounded to nearest.
/// - Grey with alpha becomes R G B A.
///
/// Requires a `content` that begins like a file of these formats.
/// \throws IoError  damage, a size beyond the limits, a sample above its maximum, or a PAM file of
///                 another tuple type than grey and RGB, each with or without alpha
Picture decode_pnm(std::span<const std::byte> content, const std::string& name);

}  // namespace warpwise::io
