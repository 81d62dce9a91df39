#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "warpwise/live/colours.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"

// What FFmpeg's frames hold, in Warpwise's words and back: no sample changes its value.
namespace warpwise::live::ffmpeg {

/// The format that such frames are given as: their own where Warpwise has it; yuyv of planes of
/// 4:2:2, ycbcr32 of 4:4:4, rgb24 of planes of RGB and of RGB with a byte that means nothing.
/// nullopt: more than 8 bits, transparency, a palette, or a subsampling that is none of these.
std::optional<PixelFormat> format_of(AVPixelFormat pixels);

/// "yuv420p10le".
std::string name_of_pixels(int pixels);

/// What a frame's own tags say, and where it says nothing the file's.
ColourTags tags_of(const AVFrame& frame, const AVCodecParameters& file);

/// The name of a matrix that a frame's or the file's tags say and Warpwise has not; empty if they
/// say none, or one that it has.
std::string unknown_matrix(const AVFrame& frame, const AVCodecParameters& file);

/// Copies a frame; `to` has the bytes of a frame of format_of(frame.format) without gaps.
void copy_frame(const AVFrame& frame, std::span<std::byte> to);

/// What an encoder of those pixels has to be told.
struct EncoderTags {
  AVColorSpace matrix;
  AVColorRange range;
  AVChromaLocation siting;
};
EncoderTags encoder_tags(const Colours& colours, PixelFormat format, AVPixelFormat pixels);

/// The planes in which an encoder takes frames of that format without a change: gray of gray8,
/// yuv420p of 4:2:0, yuv422p of 4:2:2, yuv444p of i444, bgr0 and bgra of RGB. nullopt: there are
/// none.
std::optional<AVPixelFormat> planes_for(PixelFormat format);

/// Fills a frame whose pixels are planes_for(format).
void fill_frame(AVFrame& frame, PixelFormat format, std::span<const std::byte> from);

/// Fills a frame of yuv420p from i444: each sample of chroma becomes the mean of its 2x2 pixels,
/// rounded half up, the last row and column of odd sizes counted twice.
void fill_with_halved_chroma(AVFrame& frame, std::span<const std::byte> from);

}  // namespace warpwise::live::ffmpeg
