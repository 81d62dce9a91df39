#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/live/sources.hpp"
#include "warpwise/primitives/convert/share_chroma.hpp"

namespace warpwise::live {
namespace {

constexpr int phases = 8;

struct Rgb {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;
};

// White, six saturated colours and black, at three quarters of full level, from light to dark.
constexpr std::array<Rgb, 8> bar_colours = {{{191, 191, 191},
                                             {191, 191, 0},
                                             {0, 191, 191},
                                             {0, 191, 0},
                                             {191, 0, 191},
                                             {191, 0, 0},
                                             {0, 0, 191},
                                             {0, 0, 0}}};

struct Place {
  std::int64_t x;
  std::int64_t y;
  std::int64_t width;
  std::int64_t height;
  int phase;
};

Rgb bars(const Place& at) {
  const std::int64_t side = std::max<std::int64_t>(1, at.height / 8);
  const std::int64_t left = at.width * at.phase / phases;
  const std::int64_t top = (at.height - side) / 2;
  const bool in_square = at.x >= left && at.x < left + side && at.y >= top && at.y < top + side;
  if (in_square) return {255, 255, 255};
  return bar_colours[static_cast<std::size_t>(at.x * 8 / at.width)];
}

// Draws rings by cos(k r^2). At the edge of the longer side, a ring is two pixels wide.
Rgb zone(const Place& at) {
  const double x = static_cast<double>(at.x) - static_cast<double>(at.width) / 2;
  const double y = static_cast<double>(at.y) - static_cast<double>(at.height) / 2;
  const double edge = static_cast<double>(std::max(at.width, at.height)) / 2;
  const double angle = std::numbers::pi * ((x * x + y * y) / (2 * edge) - 2.0 * at.phase / phases);
  const auto level = static_cast<std::uint8_t>(std::lround(127.5 + 127.5 * std::cos(angle)));
  return {level, level, level};
}

// Hashes the pixel's position and the phase with steps of splitmix64.
Rgb noise(const Place& at) {
  std::uint64_t bits = static_cast<std::uint64_t>((at.y * at.width + at.x) * phases + at.phase);
  bits = (bits + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  bits ^= bits >> 31;
  return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
          static_cast<std::uint8_t>(bits >> 16)};
}

using Pattern = Rgb (*)(const Place&);

Pattern pattern_named(const std::string& name) {
  if (name == "bars") return bars;
  if (name == "zone") return zone;
  if (name == "noise") return noise;
  throw InvalidArgument("test:" + name + " is no pattern: test:bars, test:zone, test:noise");
}

io::Picture draw(Pattern pattern, std::int64_t width, std::int64_t height, int phase) {
  io::Picture picture(io::PictureShape::of(PixelFormat::rgb24, width, height));
  std::byte* to = picture.bytes().data();
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x, to += 3) {
      const Rgb colour = pattern({x, y, width, height, phase});
      std::memcpy(to, &colour, 3);
    }
  }
  return picture;
}

io::Picture in_format(const io::Picture& rgb, const Stream& stream) {
  const PixelFormat format = stream.format();
  const auto& shape = rgb.shape();
  if (format == PixelFormat::rgb24) {
    io::Picture same(shape);
    std::memcpy(same.bytes().data(), rgb.bytes().data(), rgb.bytes().size());
    return same;
  }
  const ConstHostFrame from(rgb.bytes().data(), PixelFormat::rgb24, shape.width, shape.height);
  ConvertOptions options;
  options.matrix = stream.colours.matrix.value;
  if (has_luma(format)) options.to_range = stream.colours.range.value;
  const bool has_chroma = has_luma(format) && format != PixelFormat::gray8;
  io::Picture direct(
      io::PictureShape::of(has_chroma ? PixelFormat::i444 : format, shape.width, shape.height));
  const HostFrame converted(direct.bytes().data(), *direct.shape().format, shape.width,
                            shape.height);
  convert(from, converted, options);
  if (!has_chroma) return direct;
  io::Picture shared(stream.shape);
  share_chroma(converted, {shared.bytes().data(), format, shape.width, shape.height});
  return shared;
}

class PatternSource final : public Source {
 public:
  PatternSource(std::string name, Pattern pattern, const Stream& stream)
      : Source(std::move(name), stream) {
    for (int phase = 0; phase < phases; ++phase) {
      frames_.push_back(
          in_format(draw(pattern, stream.shape.width, stream.shape.height, phase), stream));
    }
  }

  bool next(std::span<std::byte> pixels) override {
    const io::Picture& frame = frames_[static_cast<std::size_t>(next_++ % phases)];
    std::memcpy(pixels.data(), frame.bytes().data(), pixels.size());
    return true;
  }

 private:
  std::vector<io::Picture> frames_;
  std::int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Source> pattern_source(const std::string& pattern, const SourceOptions& options) {
  const Pattern function = pattern_named(pattern);
  constexpr std::int64_t most = 16384;
  if (std::max(options.width.value_or(1), options.height.value_or(1)) > most) {
    throw InvalidArgument("test: draws frames of at most " + std::to_string(most) +
                          " pixels a side");
  }
  const PixelFormat format = options.format.value_or(PixelFormat::rgb24);
  ColourTags tags;  // generated chroma is a mean of pixels, so its siting is their centre
  tags.siting = Siting::centre;
  const Stream stream =
      stream_of(format, options.width.value_or(1280), options.height.value_or(720),
                options.rate.value_or(Rate{30, 1}), options.colours, tags);
  return std::make_unique<PatternSource>("test:" + pattern, function, stream);
}

}  // namespace warpwise::live
