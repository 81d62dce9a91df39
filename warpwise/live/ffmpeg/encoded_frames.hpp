#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "warpwise/live/ffmpeg/limited_fill.hpp"
#include "warpwise/live/ffmpeg/outputs.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/sink.hpp"

namespace warpwise::live::ffmpeg {

/// Decides which frames an output takes, and converts them to its encoder's frames.
class EncodedFrames {
 public:
  /// `name` is the output's name in messages.
  EncodedFrames(const KnownOutput& file, std::string name) : file_(file), name_(std::move(name)) {}

  /// Returns the frames that the output takes for a stream of 8-bit frames.
  /// \throws InvalidArgument  the output has no frames of that size
  Sink::AcceptedFrames accepted_frames(const Stream& stream) const;
  /// Returns true if the output takes a stream's deep frames (more than 8 bits) unchanged.
  /// \throws InvalidArgument  as accepted_frames()
  bool accepts_deep_frames(const Stream& deep) const;
  /// Returns the planes into which a pipeline converts RGB of more than 8 bits.
  io::DeepPlanes planes_for_rgb() const {
    return file_.kind == Kind::prores ? io::DeepPlanes::yuv444 : io::DeepPlanes::yuv420;
  }
  /// Returns the name of the encoder's pixels for frames that were taken: "i420".
  std::string text_of(const Stream& taken) const;

  /// Prepares for frames of a stream. Must be called before the functions below.
  void begin(const Stream& stream);
  AVPixelFormat pixels() const { return pixels_; }
  const EncoderTags& tags() const { return tags_; }
  void fill(AVFrame& frame, std::span<const std::byte> from);

 private:
  AVPixelFormat pixels_of(PixelFormat format) const;
  AVPixelFormat deep_pixels_of(const Stream& deep) const;
  EncoderTags tags_of(const Stream& stream) const;
  void require_size(const Stream& stream) const;

  const KnownOutput& file_;
  std::string name_;
  PixelFormat format_ = PixelFormat::i420;
  AVPixelFormat pixels_ = AV_PIX_FMT_NONE;
  EncoderTags tags_{};
  std::optional<DeepFill> fill_deep_;
  std::optional<LimitedFill> fill_limited_;
};

}  // namespace warpwise::live::ffmpeg
