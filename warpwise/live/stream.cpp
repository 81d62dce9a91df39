#include "warpwise/live/stream.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace warpwise::live {

std::string Rate::text() const { return is_known() ? fmt::format("{:.4g}", per_second()) : ""; }

Rate Stream::ticks() const {
  if (own_ticks.is_known()) return own_ticks;
  return rate.is_known() ? rate : assumed_rate;
}

FrameTime Stream::regular_time(std::int64_t number) const {
  const Rate of_frames = rate.is_known() ? rate : assumed_rate;
  const double each = ticks().per_second() / of_frames.per_second();
  const auto at = [&](std::int64_t n) { return std::llround(static_cast<double>(n) * each); };
  return {at(number), at(number + 1) - at(number)};
}

std::string turn_text(int orientation) {
  constexpr std::array names = {"",
                                "",
                                "mirrored",
                                "a half turn",
                                "upside down",
                                "mirrored, a quarter turn to the left",
                                "a quarter turn to the right",
                                "mirrored, a quarter turn to the right",
                                "a quarter turn to the left"};
  return names.at(static_cast<std::size_t>(orientation));
}

namespace {

std::string transfer_text(int transfer) {
  switch (transfer) {
    case pq_transfer: return ", transfer pq (tag)";
    case hlg_transfer: return ", transfer hlg (tag)";
    default: return {};
  }
}

}  // namespace

PixelFormat Stream::format_of_8_bits() const {
  if (!is_deep()) return format();
  if (shape.channels == 4) return PixelFormat::rgba32;
  if (!shape.planes) return shape.channels == 1 ? PixelFormat::gray8 : PixelFormat::rgb24;
  switch (*shape.planes) {
    case io::DeepPlanes::yuv420: return PixelFormat::i420;
    case io::DeepPlanes::yuv422: return PixelFormat::yuyv;
    case io::DeepPlanes::yuv444: return PixelFormat::ycbcr32;
  }
  __builtin_unreachable();
}

std::string Stream::text() const {
  std::string text = fmt::format("{}x{} {}", shape.width, shape.height, shape.pixel_text());
  if (is_deep() && depth < 16) text += fmt::format(" from {} bits", depth);
  const std::string colour_text = text_of(colours, format_of_8_bits());
  if (!colour_text.empty()) text += ", " + colour_text;
  text += transfer_text(transfer);
  const bool is_square = pixel_aspect.width == pixel_aspect.height;
  if (pixel_aspect.is_known() && !is_square) {
    text += fmt::format(", pixels {}:{}", pixel_aspect.width, pixel_aspect.height);
  }
  if (orientation != 1) text += ", not turned: " + turn_text(orientation);
  if (rate.is_known()) text += ", " + rate.text() + " fps";
  if (is_varying) text += " on average";
  return text;
}

Stream stream_of(PixelFormat format, std::int64_t width, std::int64_t height, Rate rate,
                 const ColourTags& options, const ColourTags& tags) {
  return stream_of(io::PictureShape::of(format, width, height), rate, options, tags);
}

Stream stream_of(const io::PictureShape& shape, Rate rate, const ColourTags& options,
                 const ColourTags& tags) {
  Stream stream;
  stream.shape = shape;
  stream.colours = decide_colours(shape, options, tags);
  if (has_luma(stream.format_of_8_bits())) {
    stream.shape.full_range = stream.colours.range.value == Range::full;
  }
  stream.rate = rate;
  return stream;
}

Stream stream_of(const io::PictureShape& picture) {
  ColourTags tags;
  if (picture.full_range) tags.range = *picture.full_range ? Range::full : Range::limited;
  Stream stream;
  stream.shape = picture;
  stream.colours = decide_colours(picture, {}, tags);
  return stream;
}

}  // namespace warpwise::live
