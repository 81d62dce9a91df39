// Fuzzes the parsers of the command's option values. Each refuses a text only with UsageError, or
// returns a value within its documented range. The first byte picks the parser.
#include <cmath>
#include <string>

#include "fuzz/fuzz.hpp"
#include "support/enum_names.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab/lab.hpp"

namespace warpwise {
namespace {

using fuzz::require;

// The command's own enums are checked here, because the command has no unit tests.
static_assert(test::names_each_enumerator<cli::BackendChoice>());
static_assert(test::names_each_enumerator<cli::LabPlace>());

void integer(std::string_view text) {
  const std::int64_t value = cli::parse_integer("--n", text, INT64_MIN, INT64_MAX);
  require(cli::parse_integer("--n", std::to_string(value), value, value) == value,
          "an integer's own text is read as that integer");
  require(text.find_first_not_of("-0123456789") == std::string_view::npos,
          "only digits and a sign are an integer");
}

void bounded_integer(std::string_view text) {
  const std::int64_t value = cli::parse_integer("--n", text, -5, 65536);
  require(value >= -5 && value <= 65536, "an integer lies within its bounds");
}

void number(std::string_view text) {
  require(std::isfinite(cli::parse_number("--x", text)), "a number is finite");
}

void size_of_frames(std::string_view text) {
  const cli::Size size = cli::parse_size("--size", text);
  require(size.width >= 1 && size.height >= 1, "a size is at least 1x1");
  for (const PixelFormat format : all_pixel_formats) {
    try {
      const std::int64_t bytes = cli::raw_format(format).shape(size).bytes();
      require(bytes >= size.width && bytes >= size.height, "a frame has a byte for a pixel");
    } catch (const InvalidArgument&) {  // the size does not fit into 64 bits
    }
  }
}

void format(std::string_view text) {
  const auto named = value_named<PixelFormat>(text);
  require(!named || name_of(*named) == text, "a format is called by its name");
  std::vector<cli::RawFormat> formats;
  for (const PixelFormat each : all_pixel_formats) formats.push_back(cli::raw_format(each));
  require(cli::parse_raw_format(text, formats).name == text, "a choice has its name");
}

void backend(std::string_view text) {
  const auto choice = cli::parse_choice("--backend", text, cli::all_backend_choices);
  require(name_of(choice) == text, "a backend is called by its name");
}

}  // namespace
}  // namespace warpwise

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  constexpr void (*parsers[])(std::string_view) = {integer,        bounded_integer, number,
                                                   size_of_frames, format,          backend};
  return fuzz::parse_by_first_byte<cli::UsageError>(data, size, parsers);
}
