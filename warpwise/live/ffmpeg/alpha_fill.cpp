#include "warpwise/live/ffmpeg/alpha_fill.hpp"

#include <algorithm>

#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live::ffmpeg {
namespace {

Stream deep_stream_of(const Stream& rgba) {
  Stream deep = rgba;
  deep.shape =
      io::PictureShape::interleaved(ElementType::u16, 4, rgba.shape.width, rgba.shape.height);
  deep.depth = 16;
  return deep;
}

}  // namespace

AlphaFill::AlphaFill(const Stream& rgba, AVPixelFormat pixels)
    : is_deep_(rgba.is_deep()), rgba_(deep_stream_of(rgba)),
      to_yuv_(deep_stage("yuv444p16", {io::DeepPlanes::yuv444}, {.to_range = Range::limited})),
      yuv_(to_yuv_->begin(rgba_)), fill_(yuv_, pixels),
      alpha_levels_(levels(16, depth_of(pixels), Coding::full)), pixels_(rgba_.shape),
      planes_(yuv_.shape) {}

void AlphaFill::operator()(AVFrame& frame, std::span<const std::byte> from) {
  if (is_deep_) {
    std::ranges::copy(from, pixels_.bytes().begin());
  } else {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto code = static_cast<std::uint16_t>(std::to_integer<unsigned>(from[i]) * 257);
      store(pixels_.bytes().data(), static_cast<std::int64_t>(i), code);
    }
  }
  to_yuv_->run(HostSource{rgba_.shape, pixels_.bytes().data()},
               HostResult{yuv_.shape, planes_.bytes().data()});
  fill_(frame, planes_.bytes());
  fill_alpha(frame);
}

void AlphaFill::fill_alpha(AVFrame& frame) const {
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
