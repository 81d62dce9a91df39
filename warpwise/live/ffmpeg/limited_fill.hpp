#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::live::ffmpeg {

/// Fills an encoder's frames of YUV 4:4:4 of limited range and 10 or more bits. deep_stage()
/// converts the colours in 16 bits, so that different 8-bit codes stay different. The alpha of RGBA
/// keeps its range.
class LimitedFill {
 public:
  /// `from` is gray8, rgb24, rgba32 or i444, or has four channels of u16. `pixels` are
  /// yuv444p10le, yuva444p10le for RGBA, or the same pixels of another depth.
  LimitedFill(const Stream& from, AVPixelFormat pixels);
  /// Returns the colours of the filled frames.
  const Colours& colours() const { return yuv_.colours; }
  void operator()(AVFrame& frame, std::span<const std::byte> from);

 private:
  void widen(std::span<const std::byte> from);
  void fill_alpha(AVFrame& frame) const;

  Stream deep_;       // the constructor's `from` with 16 bits
  LevelTables more_;  // tables from 8 to 16 bits; empty for u16
  std::unique_ptr<Stage> to_yuv_;
  Stream yuv_;
  DeepFill fill_;
  std::vector<std::uint16_t> alpha_levels_;
  io::Picture pixels_;
  io::Picture planes_;
};

}  // namespace warpwise::live::ffmpeg
