#pragma once

#include <string_view>
#include <vector>

#include "warpwise/io/picture.hpp"

// A template in other sizes and turned, for `find --scales` and `--angles`.
namespace warpwise::cli {

/// A range of scales or of angles, both ends included.
struct Interval {
  double first;
  double last;
};

/// Parses "0.5:2". \throws UsageError  the text is not two numbers in ascending order within
/// [least, greatest].
Interval parse_interval(std::string_view option, std::string_view text, double least,
                        double greatest);

/// A template's size and turn in an image.
struct Variant {
  double scale = 1;  ///< factor of lengths: 2 is twice as wide and high
  double angle = 0;  ///< in degrees, clockwise
};

/// Distance between neighbouring variants: a factor of the scale, and degrees.
inline constexpr Variant variant_steps = {.scale = 1.05, .angle = 3};

/// Lists the variants to try: neighbours differ by a factor or an angle of at most `variant_steps`.
/// Includes both ends of each range, and the unchanged template if that lies between the ends.
std::vector<Variant> variants_in(const Interval& scales, const Interval& angles);

/// Lists the variants around `variant`, at a distance of `share` of variant_steps. Values beyond a
/// range become its end.
std::vector<Variant> neighbours_of(const Variant& variant, double share, const Interval& scales,
                                   const Interval& angles);

/// Returns the shape of a template drawn as a variant: the largest upright rectangle of the
/// template's own shape inside the turned template, about its centre. A side is at least 1 pixel.
io::PictureShape shape_of(const io::PictureShape& templ, const Variant& variant);

/// Draws a template, 8-bit grey, as a variant. The result has the shape of shape_of(). Pixels are
/// interpolated linearly, and averaged if the result is smaller.
io::Picture drawn(const io::Picture& templ, const Variant& variant);

}  // namespace warpwise::cli
