#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/live/depth.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"

// Copies frames between FFmpeg's layouts and Warpwise's. Sample values change only if the depth
// changes, or if chroma is averaged to 4:2:0.
namespace warpwise::live::ffmpeg {

/// Returns the AVPixelFormat of a frame's pixels, also if the frame is in a GPU's memory.
int pixels_of(const AVFrame& frame);

/// Returns the shape in which a source gives frames of these pixels. If Warpwise has their format,
/// this is the pixels' own shape. Otherwise:
///
/// - planes of 4:2:2 become yuyv
/// - planes of 4:4:4 become ycbcr32
/// - planes of RGB, and RGB with an unused byte, become rgb24; with alpha rgba32
/// - 4:1:1 becomes yuyv, 4:1:0 i420 and 4:4:0 ycbcr32: chroma samples are repeated
/// - more than 8 bits become u16: grey, RGB, RGBA, or DeepPlanes (4:4:0 with repeated chroma)
/// - alpha of YUV, or of grey of more than 8 bits, is left out
///
/// Returns nullopt for a palette, for 8-bit grey with alpha, and for any other pixels.
std::optional<io::PictureShape> shape_of(int pixels, std::int64_t width, std::int64_t height);

/// Returns the bits of a sample, 8 to 16.
int depth_of(int pixels);

/// Returns true for RGB in any layout.
bool is_rgb(int pixels);

/// Returns true if shape_of() leaves alpha out. AlphaCopy can read the alpha of YUV.
bool leaves_alpha_out(int pixels);

/// Returns true if shape_of() repeats chroma samples: 4:1:1, 4:1:0 and 4:4:0.
bool repeats_chroma(int pixels);

/// Returns FFmpeg's name for pixels: "yuv420p10le".
std::string name_of_pixels(int pixels);

/// Returns FFmpeg's name of the readable pixels closest to unreadable ones: "yuv444p12le".
std::string readable_pixels_like(int pixels);

/// Returns a frame's colour tags. A tag that the frame lacks is taken from the file.
ColourTags tags_of(const AVFrame& frame, const AVCodecParameters& file);

/// Returns the name of the tagged matrix if Warpwise does not know this matrix. Returns an empty
/// text for a known matrix, and if there is no tag.
std::string unknown_matrix(const AVFrame& frame, const AVCodecParameters& file);

/// Copies frames of one pixel format, also of more than 8 bits, to the shape of shape_of().
class FrameCopy {
 public:
  /// `pixels` is the frames' AVPixelFormat. `stream` describes the copies, of the shape shape_of().
  FrameCopy(int pixels, const Stream& stream);
  /// Copies a frame to `to`, without gaps between rows or planes.
  void operator()(const AVFrame& frame, std::span<std::byte> to) const;

 private:
  void copy_deep(const AVFrame& frame, std::span<std::byte> to) const;

  LevelTables levels_;  // empty for 8 bits
};

/// Colour properties that an encoder states in its output.
struct EncoderTags {
  AVColorSpace matrix;
  AVColorRange range;
  AVChromaLocation siting;
};
/// Returns the tags for an encoder of `pixels`. `format` is the 8-bit format of the same samples.
EncoderTags encoder_tags(const Colours& colours, PixelFormat format, AVPixelFormat pixels);

/// Returns the AVPixelFormat of 10, 12 or 16 `bits` that holds a stream's deep frames: gray10le,
/// yuv420p10le, gbrp10le, …
AVPixelFormat deep_pixels_for(const Stream& deep, int bits);

/// Fills an encoder's frames of more than 8 bits.
class DeepFill {
 public:
  /// `pixels` are those of deep_pixels_for(), with two exceptions. A grey stream may fill YUV,
  /// whose chroma gets the neutral code. A 4:2:0 stream may fill 4:2:2: each row of chroma is
  /// written twice. The alpha of YUV is not filled.
  DeepFill(const Stream& deep, AVPixelFormat pixels);
  void operator()(AVFrame& frame, std::span<const std::byte> from) const;

 private:
  void fill_row(int component, const std::byte* from, std::int64_t step, std::byte* to,
                int columns) const;

  io::PictureShape shape_;
  LevelTables levels_;
  std::uint16_t neutral_;
};

/// Returns the pixels in which an encoder takes frames of that format without a change: gray for
/// gray8, yuv420p for 4:2:0, yuv422p for 4:2:2, yuv444p for i444, bgr0 and bgra for RGB. Returns
/// nullopt if there are none.
std::optional<AVPixelFormat> planes_for(PixelFormat format);

/// Fills a frame whose pixel format is planes_for(format). A limited-range frame may have more
/// bits: codes are then multiplied by a power of two. 4:2:0 may fill 4:2:2: each row of chroma is
/// then written twice.
void fill_frame(AVFrame& frame, PixelFormat format, std::span<const std::byte> from);

/// Fills a frame of yuv420p from i444. Each chroma sample becomes the mean of its 2x2 pixels,
/// rounded half up. At an odd size the last row or column counts twice.
void fill_with_halved_chroma(AVFrame& frame, std::span<const std::byte> from);

}  // namespace warpwise::live::ffmpeg
