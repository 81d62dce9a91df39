#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::live::ffmpeg {

/// Fills frames of YUV 4:4:4 with alpha from RGBA of 8 or 16 bits. Colours become YUV of limited
/// range by deep_stage(); the alpha keeps its range.
class AlphaFill {
 public:
  /// `rgba` is rgba32 or four channels of u16, `pixels` yuva444p10le or the same of other bits.
  AlphaFill(const Stream& rgba, AVPixelFormat pixels);
  /// Returns the colours of the filled frames.
  const Colours& colours() const { return yuv_.colours; }
  void operator()(AVFrame& frame, std::span<const std::byte> from);

 private:
  void fill_alpha(AVFrame& frame) const;

  bool is_deep_;
  Stream rgba_;  // of 16 bits
  std::unique_ptr<Stage> to_yuv_;
  Stream yuv_;
  DeepFill fill_;
  std::vector<std::uint16_t> alpha_levels_;
  io::Picture pixels_;
  io::Picture planes_;
};

}  // namespace warpwise::live::ffmpeg
