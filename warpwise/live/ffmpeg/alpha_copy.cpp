#include "warpwise/live/ffmpeg/alpha_copy.hpp"

#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live::ffmpeg {
namespace {

std::unique_ptr<Stage> stage_to_rgb(const Stream& yuv) {
  if (yuv.is_deep()) return deep_stage("rgb48", {});
  return convert_stage("rgba32", PixelFormat::rgba32);
}

}  // namespace

io::PictureShape shape_with_alpha(const io::PictureShape& yuv) {
  if (yuv.format) return io::PictureShape::of(PixelFormat::rgba32, yuv.width, yuv.height);
  return io::PictureShape::interleaved(ElementType::u16, 4, yuv.width, yuv.height);
}

AlphaCopy::AlphaCopy(int pixels, const Stream& yuv)
    : copy_yuv_(pixels, yuv), yuv_(yuv.shape), to_rgb_(stage_to_rgb(yuv)),
      rgb_(to_rgb_->begin(yuv).shape),
      alpha_levels_(levels(depth_of(pixels), yuv.is_deep() ? 16 : 8, Coding::full)) {}

void AlphaCopy::operator()(const AVFrame& frame, std::span<std::byte> to) {
  copy_yuv_(frame, yuv_.bytes());
  to_rgb_->run(HostSource{yuv_.shape(), yuv_.bytes().data()},
               HostResult{rgb_.shape(), rgb_.bytes().data()});
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const std::uint8_t* data[4] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
  const bool is_deep = rgb_.shape().type == ElementType::u16;
  std::vector<std::uint16_t> alpha(static_cast<std::size_t>(frame.width));
  const std::byte* colour = rgb_.bytes().data();
  std::byte* pixel = to.data();
  for (int y = 0; y < frame.height; ++y) {
    av_read_image_line2(alpha.data(), data, frame.linesize, &is, 0, y, is.nb_components - 1,
                        frame.width, 0, sizeof alpha[0]);
    for (const std::uint16_t code : alpha) {
      const std::uint16_t level = alpha_levels_[code];
      if (is_deep) {
        for (int i = 0; i < 3; ++i) store(pixel, i, load<std::uint16_t>(colour, i));
        store(pixel, 3, level);
        colour += 6;
        pixel += 8;
      } else {
        for (int i = 0; i < 3; ++i) pixel[i] = colour[i];
        pixel[3] = static_cast<std::byte>(level);
        colour += 4;
        pixel += 4;
      }
    }
  }
}

}  // namespace warpwise::live::ffmpeg
