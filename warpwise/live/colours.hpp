#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/primitives/convert/convert.hpp"

namespace warpwise::live {

/// Where the samples of subsampled chroma lie: on the left pixel of two (MPEG-2, H.264), midway
/// between pixels in both directions (JPEG, MPEG-1), or on the top-left pixel of four (BT.2020).
enum class Siting : std::uint8_t { left, centre, top_left };
constexpr auto enum_names(Siting) {
  return std::to_array<EnumName<Siting>>(
      {{Siting::left, "left"}, {Siting::centre, "centre"}, {Siting::top_left, "top-left"}});
}
inline constexpr auto all_sitings = all_values<Siting>();

/// What somebody says of a stream's colours: its tags, or the user by options.
struct ColourTags {
  std::optional<Matrix> matrix = std::nullopt;
  std::optional<Range> range = std::nullopt;
  std::optional<Siting> siting = std::nullopt;
};

/// Who said so.
enum class Origin : std::uint8_t { option, tag, guess, stage };
constexpr auto enum_names(Origin) {
  return std::to_array<EnumName<Origin>>({{Origin::option, "option"},
                                          {Origin::tag, "tag"},
                                          {Origin::guess, "guess"},
                                          {Origin::stage, "stage"}});
}

template <class T>
struct Told {
  T value;
  Origin origin;
};

/// What the codes of YUV frames mean. Of RGB frames it says nothing.
struct Colours {
  Told<Matrix> matrix;
  Told<Range> range;
  Told<Siting> siting;
};

/// An option goes before a tag, and a tag before a guess. What is guessed, as players do: BT.709
/// for frames wider than 1024 or higher than 576, else BT.601; limited range, but of grey full;
/// chroma on the left.
Colours decide_colours(const io::PictureShape& shape, const ColourTags& options,
                       const ColourTags& tags);

/// Whether frames have chroma for fewer pixels than luma: yuyv, nv12, i420, …
bool is_subsampled(PixelFormat format);

/// Whether the codes of such frames are luma, with chroma or without: all but RGB.
bool has_luma(PixelFormat format);

/// "bt709 (tag), limited (tag), chroma left (guess)", as much of it as has a meaning for such
/// frames; empty for RGB.
std::string text_of(const Colours& colours, PixelFormat format);

}  // namespace warpwise::live
