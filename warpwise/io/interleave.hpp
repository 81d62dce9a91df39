#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpwise/io/picture.hpp"

// Planes of video frames, as files and decoders hold them, into the packed formats that primitives
// read.
namespace warpwise::io {

/// Rows of samples of one byte; the pitch may be negative.
struct SamplePlane {
  const std::byte* data = nullptr;
  std::ptrdiff_t pitch_bytes = 0;
};

/// 4:2:2, planes of Y, Cb, Cr, to yuyv. Chroma rows have half the luma's samples, rounded up; of an
/// odd width the last pair repeats its one pixel. `frame` has the bytes of yuyv of that size.
void interleave_422(const std::array<SamplePlane, 3>& planes, std::int64_t width,
                    std::int64_t height, std::span<std::byte> frame);

/// 4:4:4, planes of Y, Cb, Cr, to ycbcr32. `frame` has the bytes of ycbcr32 of that size.
void interleave_444(const std::array<SamplePlane, 3>& planes, std::int64_t width,
                    std::int64_t height, std::span<std::byte> frame);

}  // namespace warpwise::io
