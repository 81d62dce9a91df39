// Fuzzes the parsers of displacements A:B, boxes X,Y,W,H and sizes WxH. Each refuses a text only
// with UsageError, or returns a value in its documented range, whose own text gives the same value.
// The first byte picks the parser.
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/cli/pictures/search.hpp"

namespace warpwise {
namespace {

using fuzz::require;

std::string text_of(std::int64_t number) { return std::to_string(number); }

void range(std::string_view text) {
  const SearchRange range = cli::parse_range("--search-x", text);
  require(range.first <= range.last, "a range has a first and a last displacement in that order");
  require(range.first >= -max_match_displacement && range.last <= max_match_displacement,
          "displacements lie within what match() takes");
  const SearchRange again =
      cli::parse_range("--search-x", text_of(range.first) + ":" + text_of(range.last));
  require(again.first == range.first && again.last == range.last, "a range survives its text");
}

void box(std::string_view text) {
  const Box box = cli::parse_box("--box", text);
  require(box.x >= 0 && box.y >= 0, "a box begins inside the image");
  require(box.width >= 1 && box.height >= 1, "a box holds a pixel");
  require(
      box.x <= INT32_MAX && box.y <= INT32_MAX && box.width <= INT32_MAX && box.height <= INT32_MAX,
      "the sides of a box can be added and multiplied");
  const Box again = cli::parse_box("--box", text_of(box.x) + "," + text_of(box.y) + "," +
                                                text_of(box.width) + "," + text_of(box.height));
  require(again.x == box.x && again.y == box.y && again.width == box.width &&
              again.height == box.height,
          "a box survives its text");
}

void size(std::string_view text) {
  const cli::Size size = cli::parse_size("--size", text);
  const cli::Size again =
      cli::parse_size("--size", text_of(size.width) + "x" + text_of(size.height));
  require(again.width == size.width && again.height == size.height, "a size survives its text");
}

}  // namespace
}  // namespace warpwise

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  constexpr void (*parsers[])(std::string_view) = {range, box, warpwise::size};
  return fuzz::parse_by_first_byte<cli::UsageError>(data, size, parsers);
}
