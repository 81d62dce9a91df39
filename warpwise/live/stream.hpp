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
  /// "25", "29.97"; empty if unknown.
  std::string text() const;
};

/// Properties known before the first frame. All frames of a stream share them.
struct Stream {
  io::PictureShape shape;  ///< 8-bit frames with a known format
  Colours colours;
  Rate rate;

  PixelFormat format() const { return shape.format.value(); }
  /// Describes the stream: "640x480 i420, bt601 (guess), limited (tag), chroma left (guess), 25
  /// fps".
  std::string text() const;
};

/// Makes a stream of such frames; options and tags state their colours.
Stream stream_of(PixelFormat format, std::int64_t width, std::int64_t height, Rate rate,
                 const ColourTags& options = {}, const ColourTags& tags = {});

}  // namespace warpwise::live
