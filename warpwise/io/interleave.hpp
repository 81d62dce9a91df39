#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpwise/io/picture.hpp"

// Packs the planes of video frames from files and decoders into formats that primitives read.
namespace warpwise::io {

/// One plane of one-byte samples. The pitch may be negative.
struct SamplePlane {
  const std::byte* data = nullptr;
  std::ptrdiff_t pitch_bytes = 0;
};

/// Packs 4:2:2 planes of Y, Cb, Cr into yuyv. Chroma rows have half the luma's samples, rounded up.
/// At an odd width the last pair repeats its only pixel. `frame` has the size of one yuyv frame.
void interleave_422(const std::array<SamplePlane, 3>& planes, std::int64_t width,
                    std::int64_t height, std::span<std::byte> frame);

/// Packs 4:4:4 planes of Y, Cb, Cr into ycbcr32. `frame` has the size of one ycbcr32 frame.
void interleave_444(const std::array<SamplePlane, 3>& planes, std::int64_t width,
                    std::int64_t height, std::span<std::byte> frame);

}  // namespace warpwise::io
