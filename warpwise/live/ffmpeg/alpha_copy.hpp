#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::live::ffmpeg {

/// Returns the shape of RGBA frames made from YUV with alpha: rgba32, or four channels of u16.
io::PictureShape shape_with_alpha(const io::PictureShape& yuv);

/// Converts YUV frames with alpha to RGBA. Colours become RGB by the stage rgba32 or rgb48. Alpha
/// is only scaled to the result's bits.
class AlphaCopy {
 public:
  /// `pixels` is the frames' AVPixelFormat, which is YUV with alpha. `yuv` describes the same
  /// frames without alpha; its shape is that of shape_of().
  AlphaCopy(int pixels, const Stream& yuv);
  /// Converts a frame to RGBA of the shape shape_with_alpha(), without gaps between rows.
  void operator()(const AVFrame& frame, std::span<std::byte> to);

 private:
  FrameCopy copy_yuv_;
  io::Picture yuv_;
  std::unique_ptr<Stage> to_rgb_;
  io::Picture rgb_;
  std::vector<std::uint16_t> alpha_levels_;
};

}  // namespace warpwise::live::ffmpeg
