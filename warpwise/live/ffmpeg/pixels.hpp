#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "warpwise/live/colours.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"

// Converts between FFmpeg's frames and Warpwise's formats without changing the value of a sample.
namespace warpwise::live::ffmpeg {

/// Returns the format of a decoder's frames in Warpwise. Frames of a known format keep it.
/// Otherwise:
///
/// - planes of 4:2:2 become yuyv
/// - planes of 4:4:4 become ycbcr32
/// - planes of RGB, and RGB with an unused byte, become rgb24
///
/// Returns nullopt for more than 8 bits, transparency, a palette, or any other subsampling.
std::optional<PixelFormat> format_of(AVPixelFormat pixels);

/// Returns FFmpeg's name for pixels: "yuv420p10le".
std::string name_of_pixels(int pixels);

/// Returns a frame's own tags; a missing one is taken from the file.
ColourTags tags_of(const AVFrame& frame, const AVCodecParameters& file);

/// Returns the name of a tagged matrix that Warpwise lacks. Returns an empty text for a known
/// matrix, and without a tag in the frame and the file.
std::string unknown_matrix(const AVFrame& frame, const AVCodecParameters& file);

/// Copies a frame to `to`, which has the size of a format_of(frame.format) frame without gaps.
void copy_frame(const AVFrame& frame, std::span<std::byte> to);

/// Colour tags for an encoder of those pixels.
struct EncoderTags {
  AVColorSpace matrix;
  AVColorRange range;
  AVChromaLocation siting;
};
EncoderTags encoder_tags(const Colours& colours, PixelFormat format, AVPixelFormat pixels);

/// Returns the encoder's pixel format that stores frames of this format unchanged; nullopt if there
/// is none:
///
/// - gray for gray8
/// - yuv420p for 4:2:0, yuv422p for 4:2:2, yuv444p for i444
/// - bgr0 and bgra for RGB
std::optional<AVPixelFormat> planes_for(PixelFormat format);

/// Fills a frame whose pixel format is planes_for(format).
void fill_frame(AVFrame& frame, PixelFormat format, std::span<const std::byte> from);

/// Fills a frame of yuv420p from i444. Each chroma sample becomes the mean of its 2x2 pixels,
/// rounded half up; at odd sizes the last row and column count twice.
void fill_with_halved_chroma(AVFrame& frame, std::span<const std::byte> from);

}  // namespace warpwise::live::ffmpeg
