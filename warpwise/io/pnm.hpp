#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// Returns true for the formats that decode_pnm() reads: "PBM", "PGM", "PPM", "PAM", "PFM".
bool is_pnm(std::string_view format);

/// Decodes the first picture of a PBM, PGM or PPM file, plain or raw, or of a PAM or PFM file:
///
/// - A maximum of up to 255 gives u8, a larger one u16.
/// - Samples are scaled to the type's full range, rounded to nearest.
/// - Grey with alpha becomes R G B A.
/// - PFM gives f32. Samples are divided by the absolute value of the file's scale, as in OpenCV.
///
/// `content` must begin with the signature of one of these formats.
/// \throws IoError  the file is damaged or too large, a sample exceeds the maximum, or a PAM file
///                 holds neither grey nor RGB, with or without alpha.
Picture decode_pnm(std::span<const std::byte> content, const std::string& name);

/// Encodes a picture as a file of the type that `extension` names. The picture must be one that
/// storage_fidelity() in picture_file.hpp allows:
///
/// - .pgm, .ppm, .pnm: raw, with a maximum of 255 or 65535
/// - .pam: grey, RGB, or RGB with alpha, with the same maxima
/// - .pfm: little-endian, with a scale of 1
std::vector<std::byte> encode_pnm(const Picture& picture, std::string_view extension);

}  // namespace warpwise::io
