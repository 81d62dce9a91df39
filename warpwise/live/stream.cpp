#include "warpwise/live/stream.hpp"

#include <fmt/format.h>

namespace warpwise::live {

std::string Rate::text() const { return is_known() ? fmt::format("{:.4g}", per_second()) : ""; }

std::string Stream::text() const {
  std::string text = fmt::format("{}x{} {}", shape.width, shape.height, shape.pixel_text());
  const std::string colour_text = text_of(colours, format());
  if (!colour_text.empty()) text += ", " + colour_text;
  if (rate.is_known()) text += ", " + rate.text() + " fps";
  return text;
}

Stream stream_of(PixelFormat format, std::int64_t width, std::int64_t height, Rate rate,
                 const ColourTags& options, const ColourTags& tags) {
  Stream stream;
  stream.shape = io::PictureShape::of(format, width, height);
  stream.colours = decide_colours(stream.shape, options, tags);
  if (has_luma(format)) stream.shape.full_range = stream.colours.range.value == Range::full;
  stream.rate = rate;
  return stream;
}

}  // namespace warpwise::live
