#include "warpwise/cli/pictures/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "warpwise/cli/arguments.hpp"

namespace warpwise::cli {
namespace {

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

// Returns the grey value at a position between pixels, by linear interpolation. A position outside
// the picture has the value of the nearest pixel.
double sample(const io::Picture& from, double x, double y) {
  const io::PictureShape& shape = from.shape();
  const auto clamped = [](double at, std::int64_t length) {
    return std::clamp(at, 0.0, static_cast<double>(length - 1));
  };
  x = clamped(x, shape.width);
  y = clamped(y, shape.height);
  const auto column = static_cast<std::int64_t>(x);
  const auto row = static_cast<std::int64_t>(y);
  const std::int64_t right = std::min(column + 1, shape.width - 1);
  const std::int64_t below = std::min(row + 1, shape.height - 1);
  const auto at = [&](std::int64_t pixel_x, std::int64_t pixel_y) {
    const auto place = static_cast<std::size_t>(pixel_y * shape.width + pixel_x);
    return static_cast<double>(std::to_integer<int>(from.bytes()[place]));
  };
  const double to_right = x - static_cast<double>(column);
  const double down = y - static_cast<double>(row);
  return (1 - down) * ((1 - to_right) * at(column, row) + to_right * at(right, row)) +
         down * ((1 - to_right) * at(column, below) + to_right * at(right, below));
}

// Returns `first`, `last`, and points between them that are at most `step` apart. If 0 lies between
// them, 0 is one of the points, since it stands for the unchanged template.
std::vector<double> points_in(double first, double last, double step) {
  std::vector<double> points = {first};
  const auto go_to = [&](double end) {
    const double begin = points.back();
    const auto steps = static_cast<std::int64_t>(std::ceil((end - begin) / step - 1e-9));
    for (std::int64_t i = 1; i <= steps; ++i) {
      points.push_back(i == steps ? end
                                  : begin + (end - begin) * static_cast<double>(i) /
                                                static_cast<double>(steps));
    }
  };
  if (first < 0 && last > 0) go_to(0);
  go_to(last);
  return points;
}

}  // namespace

Interval parse_interval(std::string_view option, std::string_view text, double least,
                        double greatest) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const Interval interval = {parse_number(option, text.substr(0, colon)),
                               parse_number(option, text.substr(colon + 1))};
    if (interval.first <= interval.last && interval.first >= least && interval.last <= greatest) {
      return interval;
    }
  }
  throw UsageError(fmt::format("{} got '{}', it needs a least and a greatest value from {} to {}",
                               option, text, least, greatest));
}

std::vector<Variant> variants_in(const Interval& scales, const Interval& angles) {
  std::vector<Variant> variants;
  const double first = std::log(scales.first);
  const double last = std::log(scales.last);
  // The exact ends are returned, because exp(log(x)) may differ from x in its last bit.
  const auto scale_of = [&](double size) {
    return size == first ? scales.first : size == last ? scales.last : std::exp(size);
  };
  for (const double size : points_in(first, last, std::log(variant_steps.scale))) {
    for (const double turn : points_in(angles.first, angles.last, variant_steps.angle)) {
      variants.push_back({scale_of(size), turn});
    }
  }
  return variants;
}

std::vector<Variant> neighbours_of(const Variant& variant, double share, const Interval& scales,
                                   const Interval& angles) {
  std::vector<Variant> neighbours;
  for (const int size : {-1, 0, 1}) {
    for (const int turn : {-1, 0, 1}) {
      const Variant next = {std::clamp(variant.scale * std::pow(variant_steps.scale, size * share),
                                       scales.first, scales.last),
                            std::clamp(variant.angle + variant_steps.angle * turn * share,
                                       angles.first, angles.last)};
      if (next.scale != variant.scale || next.angle != variant.angle) neighbours.push_back(next);
    }
  }
  return neighbours;
}

io::PictureShape shape_of(const io::PictureShape& templ, const Variant& variant) {
  const auto width = static_cast<double>(templ.width);
  const auto height = static_cast<double>(templ.height);
  const double a = std::abs(std::cos(radians(variant.angle)));
  const double b = std::abs(std::sin(radians(variant.angle)));
  const double inside =
      std::min(width / (width * a + height * b), height / (width * b + height * a));
  const auto side = [&](double length) {
    return std::max<std::int64_t>(1, std::llround(length * inside * variant.scale));
  };
  return io::PictureShape::interleaved(ElementType::u8, 1, side(width), side(height));
}

io::Picture drawn(const io::Picture& templ, const Variant& variant) {
  const auto width = static_cast<double>(templ.shape().width);
  const auto height = static_cast<double>(templ.shape().height);
  const double cosine = std::cos(radians(variant.angle));
  const double sine = std::sin(radians(variant.angle));
  io::Picture result(shape_of(templ.shape(), variant));
  const io::PictureShape& shape = result.shape();
  // Number of samples of a pixel along each axis. It is large enough that every pixel of the
  // template is sampled.
  const int samples = std::max(1, static_cast<int>(std::ceil(1 / variant.scale)));
  auto to = result.bytes().begin();
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t x = 0; x < shape.width; ++x, ++to) {
      double sum = 0;
      for (int i = 0; i < samples * samples; ++i) {
        const double dx = static_cast<double>(x) + (i % samples + 0.5) / samples -
                          static_cast<double>(shape.width) / 2;
        const double dy = static_cast<double>(y) + (i / samples + 0.5) / samples -
                          static_cast<double>(shape.height) / 2;
        sum += sample(templ, width / 2 + (cosine * dx + sine * dy) / variant.scale - 0.5,
                      height / 2 + (cosine * dy - sine * dx) / variant.scale - 0.5);
      }
      *to = static_cast<std::byte>(std::lround(sum / (samples * samples)));
    }
  }
  return result;
}

}  // namespace warpwise::cli
