// Fuzzes the parsers of texts that describe a stream: rates, sizes of frames, formats,
// pipe:FORMAT:WxH@N and names of numbered pictures. Each refuses a text only with InvalidArgument,
// or returns a valid value. The first byte picks the parser. No file is read or written.
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/live/deep_layout.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise {
namespace {

using fuzz::require;

bool is_same(const live::Rate& one, const live::Rate& other) {
  return one.numerator == other.numerator && one.denominator == other.denominator;
}

void rate(const std::string& text) {
  const live::Rate rate = live::parse_rate(text);
  require(rate.is_possible(), "a rate is one that can be waited for");
  const std::string fraction =
      std::to_string(rate.numerator) + "/" + std::to_string(rate.denominator);
  require(is_same(live::parse_rate(fraction), rate), "a rate survives its text");
}

void size(const std::string& text) {
  const live::FrameSize size = live::parse_frame_size(text);
  require(size.width >= 1 && size.height >= 1, "a size is at least 1x1");
  const live::FrameSize again =
      live::parse_frame_size(std::to_string(size.width) + "x" + std::to_string(size.height));
  require(again.width == size.width && again.height == size.height, "a size survives its text");
}

void format(const std::string& text) {
  require(name_of(live::parse_format(text)) == text, "a format is called by its name");
}

void pipe(const std::string& text) {
  const live::Stream stream = live::pipe_source(text, {})->stream();
  const std::string format = text.substr(0, text.find(':'));
  require(live::deep_layout_named(format) || format == name_of(stream.format()),
          "the format stands first");
  require(stream.shape.width >= 1 && stream.shape.height >= 1, "frames have pixels");
  require(!stream.rate.is_known() || stream.rate.is_possible(), "a rate can be waited for");
  require(!stream.text().empty(), "a stream has a text");
}

void pictures(const std::string& text) {
  const std::string name = text.c_str();  // ends at the first zero, as a command's argument does
  require(live::picture_sink(name)->name() == name, "a sink has the name that was typed");
}

}  // namespace
}  // namespace warpwise

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  constexpr void (*parsers[])(const std::string&) = {rate, warpwise::size, format, pipe, pictures};
  return fuzz::parse_by_first_byte<InvalidArgument>(data, size, parsers);
}
