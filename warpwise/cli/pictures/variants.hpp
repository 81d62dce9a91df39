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

/// Parses "0.5:2". \throws UsageError  no two numbers in ascending order within [least, greatest].
Interval parse_interval(std::string_view option, std::string_view text, double least,
                        double greatest);

/// A template's size and turn in an image.
struct Variant {
  double scale = 1;  ///< of lengths: 2 is twice as wide and high
  double angle = 0;  ///< in degrees, clockwise
};

/// Distance of neighbours among variants.
inline constexpr Variant variant_steps = {.scale = 1.05, .angle = 3};

/// Lists the variants to try: neighbours differ by a factor or an angle of at most
/// `variant_steps`. Both ends of each range are among them, and the template as it is if it lies
/// between.
std::vector<Variant> variants_in(const Interval& scales, const Interval& angles);

/// Lists the variants around one, whose distance is `share` of variant_steps, within the ranges.
std::vector<Variant> neighbours_of(const Variant& variant, double share, const Interval& scales,
                                   const Interval& angles);

/// Returns the shape of a template drawn as a variant: the largest upright rectangle of the
/// template's own shape inside the turned template, about its centre. A side is at least 1 pixel.
io::PictureShape shape_of(const io::PictureShape& templ, const Variant& variant);

/// Draws a template, 8-bit grey, as a variant, in the shape of shape_of(). Pixels are interpolated
/// linearly, and averaged where the result is smaller.
io::Picture drawn(const io::Picture& templ, const Variant& variant);

}  // namespace warpwise::cli
