#include "warpwise/live/ffmpeg/limited_fill.hpp"

#include <algorithm>

#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live::ffmpeg {
namespace {

Stream with_16_bits(const Stream& from) {
  Stream deep = from;
  const io::PictureShape& shape = from.shape;
  deep.shape = shape.format == PixelFormat::i444
                   ? io::PictureShape::of(io::DeepPlanes::yuv444, shape.width, shape.height)
                   : io::PictureShape::interleaved(ElementType::u16, shape.channels, shape.width,
                                                   shape.height);
  deep.depth = 16;
  return deep;
}

}  // namespace

LimitedFill::LimitedFill(const Stream& from, AVPixelFormat pixels)
    : deep_(with_16_bits(from)), more_(from.is_deep() ? LevelTables() : levels_of(deep_, 8, 16)),
      to_yuv_(deep_stage("yuv444p16", {io::DeepPlanes::yuv444}, {.to_range = Range::limited})),
      yuv_(to_yuv_->begin(deep_)), fill_(yuv_, pixels),
      alpha_levels_(levels(16, depth_of(pixels), Coding::full)), pixels_(deep_.shape),
      planes_(yuv_.shape) {}

void LimitedFill::operator()(AVFrame& frame, std::span<const std::byte> from) {
  widen(from);
  to_yuv_->run(HostSource{deep_.shape, pixels_.bytes().data()},
               HostResult{yuv_.shape, planes_.bytes().data()});
  fill_(frame, planes_.bytes());
  if (deep_.shape.channels == 4) fill_alpha(frame);
}

// Converts samples of 8 bits to 16 bits. The order of the samples is the same for both depths.
void LimitedFill::widen(std::span<const std::byte> from) {
  if (more_.empty()) {
    std::ranges::copy(from, pixels_.bytes().begin());
    return;
  }
  for (int i = 0; i < deep_.components(); ++i) {
    const std::vector<std::uint16_t>& table = more_[static_cast<std::size_t>(i)];
    const SamplePositions places = sample_positions(deep_.shape, i);
    for (std::int64_t k = 0; k < places.columns * places.rows; ++k) {
      const std::int64_t at = places.first + k * places.step;
      store(pixels_.bytes().data(), at,
            table[std::to_integer<std::size_t>(from[static_cast<std::size_t>(at)])]);
    }
  }
}

void LimitedFill::fill_alpha(AVFrame& frame) const {
  auto* row = reinterpret_cast<std::byte*>(frame.data[3]);
  const std::byte* const from = pixels_.bytes().data();
  std::int64_t pixel = 0;
  for (int y = 0; y < frame.height; ++y, row += frame.linesize[3]) {
    for (int x = 0; x < frame.width; ++x, ++pixel) {
      store(row, x, alpha_levels_[load<std::uint16_t>(from, 4 * pixel + 3)]);
    }
  }
}

}  // namespace warpwise::live::ffmpeg
