#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/live/depth.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"

// Converts frames between FFmpeg and Warpwise. Only a new depth or halved chroma changes samples.
namespace warpwise::live::ffmpeg {

/// Returns a frame's pixels, an AVPixelFormat, also for a frame in a GPU's memory.
int pixels_of(const AVFrame& frame);

/// Returns the shape in which a source gives frames of such pixels: the pixels' own shape if
/// Warpwise has their format. Otherwise:
///
/// - planes of 4:2:2 become yuyv
/// - planes of 4:4:4 become ycbcr32
/// - planes of RGB, and RGB with an unused byte, become rgb24; with alpha rgba32
/// - 4:1:1 becomes yuyv, 4:1:0 i420 and 4:4:0 ycbcr32: chroma samples are repeated
/// - more than 8 bits become u16: grey, RGB, RGBA, or DeepPlanes, 4:4:0 with repeated chroma
/// - alpha beside YUV, or beside grey of more than 8 bits, is left out
///
/// Returns nullopt for a palette, alpha beside grey of 8 bits, or any other pixels.
std::optional<io::PictureShape> shape_of(int pixels, std::int64_t width, std::int64_t height);

/// Returns the bits of a sample, 8 to 16.
int depth_of(int pixels);

/// Returns true for RGB in any layout.
bool is_rgb(int pixels);

/// Returns true if shape_of() leaves alpha out. AlphaCopy reads the alpha of YUV.
bool leaves_alpha_out(int pixels);

/// Returns true if chroma samples are repeated.
bool repeats_chroma(int pixels);

/// Returns FFmpeg's name for pixels: "yuv420p10le".
std::string name_of_pixels(int pixels);

/// Returns FFmpeg's name of the readable pixels closest to unreadable ones: "yuv444p12le".
std::string readable_pixels_like(int pixels);

/// Returns a frame's own tags; a missing one is taken from the file.
ColourTags tags_of(const AVFrame& frame, const AVCodecParameters& file);

/// Returns the name of a tagged matrix that Warpwise lacks. Returns an empty text for a known
/// matrix, and if neither the frame nor the file has a tag.
std::string unknown_matrix(const AVFrame& frame, const AVCodecParameters& file);

/// Copies frames of one kind, also frames of more than 8 bits.
class FrameCopy {
 public:
  /// `pixels` is the frames' AVPixelFormat. `stream` describes the frames as shape_of() does.
  FrameCopy(int pixels, const Stream& stream);
  /// Copies a frame to `to`, which has the bytes of its shape_of() without gaps.
  void operator()(const AVFrame& frame, std::span<std::byte> to) const;

 private:
  void copy_deep(const AVFrame& frame, std::span<std::byte> to) const;

  LevelTables levels_;  // empty for 8 bits
};

/// Colour tags for an encoder of those pixels; `format` has the same samples in 8 bits.
struct EncoderTags {
  AVColorSpace matrix;
  AVColorRange range;
  AVChromaLocation siting;
};
EncoderTags encoder_tags(const Colours& colours, PixelFormat format, AVPixelFormat pixels);

/// Returns the AVPixelFormat of 10, 12 or 16 `bits` that holds a stream's deep frames: gray10le,
/// yuv420p10le, gbrp10le, …
AVPixelFormat deep_pixels_for(const Stream& deep, int bits);

/// Fills frames of deep pixels.
class DeepFill {
 public:
  /// `pixels` are deep_pixels_for() this stream. For a grey stream they may have chroma, which gets
  /// the neutral code. A 4:2:0 stream also fills planes of 4:2:2: each row of chroma is written
  /// twice. Alpha beside YUV is not filled.
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

/// Fills a frame whose pixel format is planes_for(format), or the same with more bits of limited
/// range: codes are then multiplied by a power of two. 4:2:0 also fills planes of 4:2:2: each row
/// of chroma comes twice.
void fill_frame(AVFrame& frame, PixelFormat format, std::span<const std::byte> from);

/// Fills a frame of yuv420p from i444. Each chroma sample becomes the mean of its 2x2 pixels,
/// rounded half up; at odd sizes the last row and column count twice.
void fill_with_halved_chroma(AVFrame& frame, std::span<const std::byte> from);

}  // namespace warpwise::live::ffmpeg
