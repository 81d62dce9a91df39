#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/samples.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/primitives/convert/convert.hpp"

namespace warpwise::live {

/// Position of the samples of subsampled chroma:
///
/// - left: on the left pixel of two (MPEG-2, H.264)
/// - centre: midway between pixels in both directions (JPEG, MPEG-1)
/// - top_left: on the top-left pixel of four (BT.2020)
enum class Siting : std::uint8_t { left, centre, top_left };
constexpr auto enum_names(Siting) {
  return std::to_array<EnumName<Siting>>(
      {{Siting::left, "left"}, {Siting::centre, "centre"}, {Siting::top_left, "top-left"}});
}
inline constexpr auto all_sitings = all_values<Siting>();

/// Colour properties stated by a stream's tags, or by the user's options.
struct ColourTags {
  std::optional<Matrix> matrix = std::nullopt;
  std::optional<Range> range = std::nullopt;
  std::optional<Siting> siting = std::nullopt;
};

/// Origin of a colour property.
enum class Origin : std::uint8_t { option, tag, guess, stage };
constexpr auto enum_names(Origin) {
  return std::to_array<EnumName<Origin>>({{Origin::option, "option"},
                                          {Origin::tag, "tag"},
                                          {Origin::guess, "guess"},
                                          {Origin::stage, "stage"}});
}

template <class T>
struct WithOrigin {
  T value;
  Origin origin;
};

/// Meaning of the codes of YUV and grey frames. RGB frames use only the matrix, to become YUV.
struct Colours {
  WithOrigin<Matrix> matrix;
  WithOrigin<Range> range;
  WithOrigin<Siting> siting;
};

/// Decides each property: an option wins over a tag, a tag over a guess. The guesses follow video
/// players:
///
/// - matrix: BT.709 for frames wider than 1024 or higher than 576, else BT.601
/// - range: limited, but full for grey
/// - siting: chroma on the left
Colours decide_colours(const io::PictureShape& shape, const ColourTags& options,
                       const ColourTags& tags);

/// Returns the siting of chroma whose rows were averaged in pairs. A new row lies midway between
/// its two rows, so top_left becomes left. The origin of this new siting is Origin::stage.
WithOrigin<Siting> siting_of_row_means(WithOrigin<Siting> siting);

/// Returns true for rgba32 and bgra32, the formats with alpha.
bool has_alpha(PixelFormat format);

/// Describes the colour properties that a format has: "bt709 (tag), limited (tag), chroma left
/// (guess)". Returns an empty text for RGB.
std::string text_of(const Colours& colours, PixelFormat format);

}  // namespace warpwise::live
