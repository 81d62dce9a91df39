#include <algorithm>
#include <cmath>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/live/stages/host_stage.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

struct Weights {
  double red;
  double blue;
};

constexpr Weights weights_of(Matrix matrix) {
  switch (matrix) {
    case Matrix::bt601: return {0.299, 0.114};
    case Matrix::bt709: return {0.2126, 0.0722};
    case Matrix::bt2020: return {0.2627, 0.0593};
  }
  __builtin_unreachable();
}

// Codes of 16 bits: luma from black to white, chroma on both sides of neutral.
struct Codes {
  double black;
  double luma;
  double chroma;
};
constexpr double neutral_code = 32768;
constexpr double most = 65535;

constexpr Codes codes_of(Range range) {
  if (range == Range::full) return {0, most, most};
  return {16 * 256, 219 * 256, 224 * 256};
}

std::uint16_t rounded(double code) {
  return static_cast<std::uint16_t>(std::clamp(std::floor(code + 0.5), 0.0, most));
}

class DeepStage final : public HostStage {
 public:
  DeepStage(std::string text, DeepTarget to, const ConvertChoices& choices)
      : HostStage(std::move(text)), to_(to), choices_(choices) {}

  std::optional<PixelFormat> reads(const Stream&) const override { return std::nullopt; }
  bool takes_deep_frames() const override { return true; }

  Stream begin(const Stream& from) override {
    require_defined(from);
    weights_ = weights_of(choices_.matrix.value_or(from.colours.matrix.value));
    Stream result = from;
    result.depth = 16;
    const io::PictureShape& shape = from.shape;
    const bool is_rgb = from.shape.channels >= 3;
    from_ = codes_of(is_rgb ? Range::full : choices_.from_range.value_or(from.colours.range.value));
    if (!to_.planes) {
      result.shape = io::PictureShape::interleaved(ElementType::u16, 3, shape.width, shape.height);
      return result;
    }
    const Range range = choices_.to_range.value_or(Range::full);
    to_codes_ = codes_of(range);
    result.shape = io::PictureShape::of(*to_.planes, shape.width, shape.height);
    result.shape.full_range = range == Range::full;
    result.colours = {{choices_.matrix.value_or(from.colours.matrix.value), Origin::stage},
                      {range, Origin::stage},
                      {Siting::centre, Origin::stage}};
    return result;
  }

  using HostStage::run;
  void run(HostSource from, HostResult to) override {
    const std::int64_t row_bytes = 6 * from.shape.width;
    cpu::parallel_rows(to_.planes ? to.shape.plane_height(1) : to.shape.height, 2 * row_bytes,
                       [&](std::int64_t first, std::int64_t last) {
                         for (std::int64_t y = first; y < last; ++y)
                           to_.planes ? to_yuv(from, to, y) : to_rgb(from, to, y);
                       });
  }

 private:
  void require_defined(const Stream& from) const {
    if (!from.is_deep()) {
      throw PixelsNotTaken(text() + " takes frames of more than 8 bits, not " +
                           from.shape.pixel_text());
    }
    if (to_.planes && from.shape.planes) {
      throw InvalidArgument(text() + " is made of RGB or grey, not " + from.shape.pixel_text() +
                            "; put rgb48 between");
    }
    if (!to_.planes && choices_.to_range.value_or(Range::full) != Range::full) {
      throw InvalidArgument(text() + " is RGB, whose range is full");
    }
    if (from.shape.channels >= 3 && choices_.from_range.value_or(Range::full) != Range::full) {
      throw InvalidArgument(text() + ": the frames are RGB, whose range is full");
    }
    if (choices_.convention != Convention::exact ||
        choices_.upsampling != ChromaUpsampling::replicate) {
      throw InvalidArgument(text() + " has convention exact and chroma replicate only");
    }
  }

  void to_rgb(HostSource from, HostResult to, std::int64_t y) const {
    const auto* const all = static_cast<const std::byte*>(from.data);
    auto* const out = static_cast<std::byte*>(to.data) + 6 * y * to.shape.width;
    const io::PictureShape& shape = from.shape;
    if (shape.channels >= 3) {
      const std::byte* pixel = all + 2 * y * shape.width * shape.channels;
      for (std::int64_t x = 0; x < shape.width; ++x, pixel += 2 * shape.channels) {
        std::copy_n(pixel, 6, out + 6 * x);
      }
      return;
    }
    const bool has_chroma = shape.planes.has_value();
    const int across = has_chroma && shape.plane_width(1) != shape.width ? 2 : 1;
    const int down = shape.planes == io::DeepPlanes::yuv420 ? 2 : 1;
    const std::int64_t chroma_row = y / down * (has_chroma ? shape.plane_width(1) : 0);
    const std::int64_t cb_row = has_chroma ? shape.plane_begin(1) + chroma_row : 0;
    const std::int64_t cr_row = has_chroma ? shape.plane_begin(2) + chroma_row : 0;
    const auto chroma_at = [&](std::int64_t row, std::int64_t x) {
      if (!has_chroma) return 0.0;
      return (load<std::uint16_t>(all, row + x / across) - neutral_code) / from_.chroma;
    };
    for (std::int64_t x = 0; x < shape.width; ++x) {
      const double luma =
          (load<std::uint16_t>(all, y * shape.width + x) - from_.black) / from_.luma;
      const double red = luma + 2 * (1 - weights_.red) * chroma_at(cr_row, x);
      const double blue = luma + 2 * (1 - weights_.blue) * chroma_at(cb_row, x);
      const double green =
          (luma - weights_.red * red - weights_.blue * blue) / (1 - weights_.red - weights_.blue);
      store(out, 3 * x, rounded(most * red));
      store(out, 3 * x + 1, rounded(most * green));
      store(out, 3 * x + 2, rounded(most * blue));
    }
  }

  // Computes a row of chroma, and the rows of luma that share it.
  void to_yuv(HostSource from, HostResult to, std::int64_t chroma_y) const {
    const io::PictureShape& shape = to.shape;
    const bool is_grey = from.shape.channels == 1;
    const auto* const all = static_cast<const std::byte*>(from.data);
    auto* const out = static_cast<std::byte*>(to.data);
    const int across = shape.planes == io::DeepPlanes::yuv444 ? 1 : 2;
    const int down = shape.planes == io::DeepPlanes::yuv420 ? 2 : 1;
    const std::int64_t last_y = std::min((chroma_y + 1) * down, shape.height);
    for (std::int64_t chroma_x = 0; chroma_x < shape.plane_width(1); ++chroma_x) {
      const std::int64_t last_x = std::min((chroma_x + 1) * across, shape.width);
      double cb = 0;
      double cr = 0;
      int count = 0;
      for (std::int64_t y = chroma_y * down; y < last_y; ++y) {
        for (std::int64_t x = chroma_x * across; x < last_x; ++x, ++count) {
          const std::int64_t pixel = y * shape.width + x;
          const auto colour = [&](int channel) {
            const std::int64_t at = is_grey ? pixel : from.shape.channels * pixel + channel;
            return (load<std::uint16_t>(all, at) - from_.black) / from_.luma;
          };
          const double red = colour(0);
          const double green = colour(1);
          const double blue = colour(2);
          const double luma = weights_.red * red + (1 - weights_.red - weights_.blue) * green +
                              weights_.blue * blue;
          store(out, pixel, rounded(to_codes_.black + to_codes_.luma * luma));
          cb += (blue - luma) / (2 * (1 - weights_.blue));
          cr += (red - luma) / (2 * (1 - weights_.red));
        }
      }
      const std::int64_t at = chroma_y * shape.plane_width(1) + chroma_x;
      store(out, shape.plane_begin(1) + at, rounded(neutral_code + to_codes_.chroma * cb / count));
      store(out, shape.plane_begin(2) + at, rounded(neutral_code + to_codes_.chroma * cr / count));
    }
  }

  DeepTarget to_;
  ConvertChoices choices_;
  Weights weights_{};  // begin() sets these
  Codes from_{};
  Codes to_codes_{};
};

}  // namespace

std::unique_ptr<Stage> deep_stage(std::string text, DeepTarget to, const ConvertChoices& choices) {
  return std::make_unique<DeepStage>(std::move(text), to, choices);
}

}  // namespace warpwise::live
