#pragma once

#include <cstdint>
#include <string>

#include "warpwise/io/picture.hpp"
#include "warpwise/live/colours.hpp"

namespace warpwise::live {

/// Frames a second, as a fraction; 0/1 if unknown.
struct Rate {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  bool is_known() const { return numerator > 0; }
  /// Returns true for a rate that a stream may have: 0.001 to 1,000,000 frames a second.
  bool is_possible() const {
    return is_known() && denominator > 0 && per_second() >= 0.001 && per_second() <= 1e6;
  }
  double per_second() const {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  /// Returns "25", "29.97"; empty if unknown.
  std::string text() const;
};

/// Time of a frame, in ticks since the first frame; Stream::ticks() is the number of ticks a
/// second.
struct FrameTime {
  std::int64_t start = 0;
  std::int64_t duration = 0;  ///< 0 if unknown
};

/// Rate of streams that do not state one.
inline constexpr Rate assumed_rate = {25, 1};

/// Shape of a pixel: its width to its height; 0:1 if unknown.
struct PixelAspect {
  std::int64_t width = 0;
  std::int64_t height = 1;

  bool is_known() const { return width > 0 && height > 0; }
};

/// Primaries and transfers by their numbers in ITU-T H.273.
inline constexpr int bt2020_primaries = 9;
inline constexpr int pq_transfer = 16;
inline constexpr int hlg_transfer = 18;

/// Properties known before the first frame. All frames of a stream share them.
struct Stream {
  io::PictureShape shape;  ///< for frames: 8-bit of a known format, or deep; for pictures: any
  Colours colours;
  Rate rate;                ///< mean rate if is_varying
  Rate own_ticks = {};      ///< ticks a second of the frames' times; if unknown, one tick a frame
  bool is_varying = false;  ///< frames last for different times
  PixelAspect pixel_aspect = {};
  /// Exif orientation, 1 to 8: how to turn the frames to make them upright. 1: no turn.
  int orientation = 1;
  /// Primaries and transfer by their numbers in ITU-T H.273; 2: not stated.
  int primaries = 2;
  int transfer = 2;
  /// Bits of a sample in the source: 9 to 16 for deep frames, whose elements are u16 and are scaled
  /// to 16 bits; 8 for other frames and for pictures.
  int depth = 8;

  /// Returns the number of ticks a second of the frames' times.
  Rate ticks() const;
  /// Returns the time of frame `number`, counted from 0, if all frames last equally long.
  FrameTime regular_time(std::int64_t number) const;

  PixelFormat format() const { return shape.format.value(); }
  /// Returns true for the HDR transfers, PQ and HLG.
  bool has_wide_range() const { return transfer == pq_transfer || transfer == hlg_transfer; }
  /// Returns true for deep frames: grey, RGB, RGBA or DeepPlanes of u16.
  bool is_deep() const {
    return shape.type == ElementType::u16 &&
           (shape.planes || shape.channels == 1 || shape.channels >= 3);
  }
  /// Returns the number of samples of a deep frame's pixel, including alpha.
  int components() const { return shape.planes ? 3 : shape.channels; }
  /// Returns the format whose frames have the same samples in 8 bits: gray8, rgb24, rgba32, i420,
  /// yuyv or ycbcr32 for deep frames, format() for others.
  PixelFormat format_of_8_bits() const;
  /// Describes the stream: "640x480 i420, bt601 (guess), limited (tag), chroma left (guess), 25
  /// fps".
  std::string text() const;
};

/// Describes the turn of an Exif orientation: "a quarter turn to the right"; empty for 1.
std::string turn_text(int orientation);

/// Makes a stream of frames. Its colours are those of decide_colours().
Stream stream_of(PixelFormat format, std::int64_t width, std::int64_t height, Rate rate,
                 const ColourTags& options = {}, const ColourTags& tags = {});
/// Makes a stream of frames of `shape`, which may be deep. \throws std::bad_optional_access `shape`
/// is neither deep nor of a known format.
Stream stream_of(const io::PictureShape& shape, Rate rate, const ColourTags& options,
                 const ColourTags& tags);

/// Makes a stream of pictures, with the shape's range if it states one.
Stream stream_of(const io::PictureShape& picture);

}  // namespace warpwise::live
