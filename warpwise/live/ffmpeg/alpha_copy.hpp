#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::live::ffmpeg {

/// Returns the shape of YUV frames with alpha as RGBA: rgba32, or four channels of u16.
io::PictureShape shape_with_alpha(const io::PictureShape& yuv);

/// Copies YUV frames with alpha as RGBA. Colours become RGB as by the stages rgba32 and rgb48; the
/// alpha stays.
class AlphaCopy {
 public:
  /// `pixels` is the frames' pixel format, for which leaves_alpha_out() is true. `yuv` describes
  /// the frames as shape_of() does.
  AlphaCopy(int pixels, const Stream& yuv);
  /// Copies a frame to `to`, which has the bytes of its shape_with_alpha() without gaps.
  void operator()(const AVFrame& frame, std::span<std::byte> to);

 private:
  FrameCopy copy_yuv_;
  io::Picture yuv_;
  std::unique_ptr<Stage> to_rgb_;
  io::Picture rgb_;
  std::vector<std::uint16_t> alpha_levels_;
};

}  // namespace warpwise::live::ffmpeg
