#include "warpwise/cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cmath>

#include "warpwise/cli/terminal.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::cli {
namespace {

std::string got(std::string_view option, std::string_view text) {
  return std::string(option) + " got '" + std::string(text) + "', it needs ";
}

}  // namespace

std::vector<std::string_view> names_of_formats(const std::vector<RawFormat>& formats) {
  std::vector<std::string_view> names;
  for (const RawFormat& format : formats) names.push_back(format.name);
  return names;
}

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t least,
                           std::int64_t greatest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least ||
      value > greatest) {
    throw UsageError(got(option, text) + "an integer from " + std::to_string(least) + " to " +
                     std::to_string(greatest));
  }
  return value;
}

std::int64_t parse_odd(std::string_view option, std::string_view text, std::int64_t greatest) {
  const std::int64_t value = parse_integer(option, text, 1, greatest);
  if (value % 2 == 0) {
    throw UsageError(got(option, text) + "an odd number such as " + std::to_string(value + 1));
  }
  return value;
}

double parse_number(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(got(option, text) + "a number such as 7 or -4.5");
  }
  return value;
}

Size parse_size(std::string_view option, std::string_view text) {
  try {
    const auto [width, height] = live::parse_frame_size(std::string(text));
    return {width, height};
  } catch (const InvalidArgument&) {
    throw UsageError(got(option, text) + "a width and a height such as 640x480");
  }
}

std::string list_of(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

void refuse_choice(std::string_view option, std::string_view text,
                   const std::vector<std::string_view>& choices) {
  throw UsageError(got(option, text) + "one of " + list_of(choices));
}

std::string refuse_empty_name(const std::string& name) {
  return name.empty() ? "the name of a file is empty ('')" : "";
}

RawFormat raw_format(PixelFormat format) {
  return {std::string(name_of(format)), io::PictureShape::of(format, 1, 1)};
}

std::vector<RawFormat> grey_and_rgb_formats() {
  std::vector<RawFormat> formats;
  for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::rgb24, PixelFormat::bgr24,
                                   PixelFormat::rgba32, PixelFormat::bgra32}) {
    formats.push_back(raw_format(format));
  }
  return formats;
}

RawFormat parse_raw_format(std::string_view text, const std::vector<RawFormat>& formats) {
  for (const RawFormat& format : formats) {
    if (format.name == text) return format;
  }
  refuse_choice("--from", text, names_of_formats(formats));
}

void add_deprecated_option(CLI::App& app, const std::string& former, const std::string& now) {
  CLI::Option* const option = app.get_option(now);
  app.add_option_function<std::string>(former,
                                       [former, now, option](const std::string& text) {
                                         warn_deprecated_option(former, now);
                                         option->add_result(text);
                                       })
      ->group("")
      ->trigger_on_parse();
}

void warn_deprecated_option(const std::string& former, const std::string& now) {
  print_error("warpwise: " + former + " is now " + now + "; the next version takes only that");
}

void require_one_of(std::string_view command, std::string_view what,
                    const std::vector<std::string>& names, const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(fmt::format("{} knows no {} '{}'{}: {}", command, what, name,
                                 lab::suggestion(name, known), fmt::join(known, ", ")));
  }
}

}  // namespace warpwise::cli
