#pragma once

#include <string_view>
#include <vector>

#include "warpwise/io/picture.hpp"

// Draws a template in other sizes and turned, for `find --scales` and `--angles`.
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

/// The size and the turn of a template in an image.
struct Variant {
  double scale = 1;  ///< factor of lengths: 2 is twice as wide and high
  double angle = 0;  ///< in degrees, clockwise
};

/// Distance between neighbouring variants: a factor of the scale, and an angle in degrees.
inline constexpr Variant variant_steps = {.scale = 1.05, .angle = 3};

/// Lists the variants to try. Neighbours differ by a factor or an angle of at most `variant_steps`.
/// The list has both ends of each range, and the unchanged template if it lies between them.
std::vector<Variant> variants_in(const Interval& scales, const Interval& angles);

/// Lists the variants around `variant`, at a distance of `share` times variant_steps. Values
/// outside a range are replaced by its nearest end.
std::vector<Variant> neighbours_of(const Variant& variant, double share, const Interval& scales,
                                   const Interval& angles);

/// Returns the shape of a template drawn as a variant. It is the largest upright rectangle with the
/// template's proportions that fits into the turned template, times the variant's scale. A side is
/// at least 1 pixel.
io::PictureShape shape_of(const io::PictureShape& templ, const Variant& variant);

/// Draws a template of 8-bit grey as a variant. The result has the shape that shape_of() returns.
/// Pixels are interpolated linearly, and averaged if the result is smaller than the template.
io::Picture drawn(const io::Picture& templ, const Variant& variant);

}  // namespace warpwise::cli
