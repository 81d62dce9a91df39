#include <algorithm>
#include <charconv>
#include <cmath>

#include "warpwise/base/error.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::live {
namespace {

// Parses the whole `text` as a number of at least 1; returns 0 for any other text.
std::int64_t positive(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && stop == text.data() + text.size();
  return is_number ? std::max<std::int64_t>(number, 0) : 0;
}

Rate rate_of_decimal(const std::string& text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_rate =
      error == std::errc() && stop == text.data() + text.size() && number >= 0.001 && number <= 1e6;
  if (!is_rate) return {};
  // Rates such as 29.97 mean multiples of 1000/1001.
  const double thousands = std::round(number * 1001 / 1000);
  const bool is_ntsc = thousands >= 1 && std::abs(number - thousands * 1000 / 1001) < 0.005 &&
                       std::abs(number - std::round(number)) > 0.001;
  if (is_ntsc) return {static_cast<std::int64_t>(thousands) * 1000, 1001};
  return {std::llround(number * 1000), 1000};
}

}  // namespace

FrameSize parse_frame_size(const std::string& text) {
  const std::size_t cross = text.find('x');
  FrameSize size{0, 0};
  if (cross != std::string::npos) {
    const std::string_view view = text;
    size = {positive(view.substr(0, cross)), positive(view.substr(cross + 1))};
  }
  if (size.width == 0 || size.height == 0) {
    throw InvalidArgument("'" + text + "' is no size such as 1280x720");
  }
  return size;
}

Rate parse_rate(const std::string& text) {
  const std::size_t bar = text.find('/');
  Rate rate;
  if (bar == std::string::npos) {
    rate = rate_of_decimal(text);
  } else {
    const std::string_view view = text;
    rate = {positive(view.substr(0, bar)), positive(view.substr(bar + 1))};
  }
  if (!rate.is_possible())
    throw InvalidArgument("'" + text + "' is no rate such as 30, 29.97 or 30000/1001");
  return rate;
}

PixelFormat parse_format(const std::string& text) {
  std::string known;
  for (const PixelFormat format : convert_sources) {
    if (name_of(format) == text) return format;
    known += (known.empty() ? "" : ", ") + std::string(name_of(format));
  }
  for (const DeepLayout& layout : deep_layouts) known += ", " + std::string(layout.name);
  throw InvalidArgument("'" + text + "' is no format of frames; these are: " + known);
}

}  // namespace warpwise::live
