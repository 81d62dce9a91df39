#pragma once

#include <cstdint>
#include <optional>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/pixel_format.hpp"

namespace warpwise {

/// Order of the colours in a pixel of 3 or 4 channels; the fourth channel is no colour.
enum class ChannelOrder : std::uint8_t { rgb, bgr };

/// Names for name_of() and value_named(): "rgb", "bgr".
constexpr auto enum_names(ChannelOrder) {
  return std::to_array<EnumName<ChannelOrder>>(
      {{ChannelOrder::rgb, "rgb"}, {ChannelOrder::bgr, "bgr"}});
}
inline constexpr auto all_channel_orders = all_values<ChannelOrder>();

/// Returns the order of the colours in a format, or nothing for a format without red, green and
/// blue.
constexpr std::optional<ChannelOrder> colour_order(PixelFormat format) {
  if (format == PixelFormat::rgb24 || format == PixelFormat::rgba32) return ChannelOrder::rgb;
  if (format == PixelFormat::bgr24 || format == PixelFormat::bgra32) return ChannelOrder::bgr;
  return {};
}

}  // namespace warpwise
