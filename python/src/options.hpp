#pragma once

// Converts words from Python to the primitives' options.

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "call.hpp"

namespace warpwise::python {

/// Makes SobelOptions. `channels` is the former name of `order`.
inline SobelOptions sobel_options(std::string_view output, std::string_view norm,
                                  std::string_view kernel, std::string_view border,
                                  std::string_view order,
                                  std::optional<std::string_view> channels) {
  if (channels && order != word(SobelOptions{}.channels) && order != *channels)
    throw InvalidArgument("order is '" + std::string(order) +
                          "', and channels, its former name, '" + std::string(*channels) +
                          "'; give order alone");
  return {
      parse<SobelOutput>(output, "output"), parse<Norm>(norm, "norm"),
      parse<SobelKernel>(kernel, "kernel"), parse<Border>(border, "border"),
      channels ? parse<ChannelOrder>(*channels, "channels") : parse<ChannelOrder>(order, "order")};
}

inline ThresholdOptions threshold_options(std::int64_t window, double offset,
                                          std::string_view method, std::int64_t maximum,
                                          bool inverted) {
  if (maximum < 0 || maximum > std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument("maximum is " + std::to_string(maximum) +
                          ", but must be a value of a pixel");
  return {window, offset, parse<ThresholdMethod>(method, "method"),
          static_cast<std::uint32_t>(maximum), inverted};
}

inline ConvertOptions convert_options(std::string_view convention, std::string_view matrix,
                                      std::optional<std::string_view> from_range,
                                      std::optional<std::string_view> to_range,
                                      std::string_view upsampling, bool gray_is_luma) {
  ConvertOptions options{.convention = parse<Convention>(convention, "convention"),
                         .matrix = parse<Matrix>(matrix, "matrix"),
                         .upsampling = parse<ChromaUpsampling>(upsampling, "upsampling"),
                         .gray_is_luma = gray_is_luma};
  if (from_range) options.from_range = parse<Range>(*from_range, "from_range");
  if (to_range) options.to_range = parse<Range>(*to_range, "to_range");
  return options;
}

/// Returns the channels of an image that holds a format of one plane.
inline std::int64_t channels_of(PixelFormat format) {
  constexpr std::int64_t width = 2;  // even, as yuyv and uyvy need
  return plane_row_bytes(format, 0, width) / width;
}

}  // namespace warpwise::python
