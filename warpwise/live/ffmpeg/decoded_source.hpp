#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/live/ffmpeg/decoder.hpp"
#include "warpwise/live/ffmpeg/frame_clock.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live::ffmpeg {

/// Formats a size: "640x480".
std::string size_text(std::int64_t width, std::int64_t height);

/// A source of a decoder's frames.
class DecodedSource : public Source {
 public:
  /// Decodes the first frame. All others must have its size and format.
  /// \throws IoError  there is no frame, or its kind is not supported.
  DecodedSource(std::unique_ptr<Decoder> decoder, const SourceOptions& options);

  bool next(std::span<std::byte> pixels) final;
  std::string why_not_on_gpu() final;
  bool next_on_gpu(std::byte* pixels, gpu::StreamHandle stream) final;
  std::optional<FrameTime> time() const final { return time_; }
  std::shared_ptr<Companions> take_companions() final;

 protected:
  const AVStream& video() const { return decoder_->stream(); }
  /// Returns true if the frames are resampled to another rate than the file's.
  bool is_of_new_rate() const { return is_of_new_rate_; }

 private:
  // Takes over the decoder only after the first frame was decoded.
  DecodedSource(std::unique_ptr<Decoder>&& decoder, const AVFrame& first,
                const SourceOptions& options);
  void require_like_the_first(const AVFrame& frame) const;
  bool decode_ahead();
  const AVFrame* next_frame();
  const AVFrame* next_of_new_rate();
  void copy(const AVFrame& frame, std::span<std::byte> pixels);

  std::unique_ptr<Decoder> decoder_;
  const AVFrame* ahead_;  // decoded and not yet returned; null if there is none
  FrameTime ahead_time_;
  std::int64_t first_frame_;  // time of the first frame in the file, in microseconds
  int pixels_;                // an AVPixelFormat, the same for all frames
  io::PictureShape stored_;   // before the turn
  FrameCopy copy_frame_;
  int turn_;  // by Exif's number
  std::vector<std::byte> unturned_;
  Stream timing_;  // the file's own rate and ticks
  FrameClock clock_;
  bool is_of_new_rate_;
  FrameTime time_;  // time of the frame returned last
  // For a new rate: the current frame, the end of its time, and the number of frames returned.
  Frame shown_ = new_frame();
  std::int64_t shown_until_ = 0;
  std::int64_t returned_ = 0;
};

}  // namespace warpwise::live::ffmpeg
