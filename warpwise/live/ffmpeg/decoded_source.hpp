#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "warpwise/live/ffmpeg/alpha_copy.hpp"
#include "warpwise/live/ffmpeg/decoder.hpp"
#include "warpwise/live/ffmpeg/frame_clock.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/ffmpeg/scaler.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live::ffmpeg {

/// Returns a size as text: "640x480".
std::string size_text(std::int64_t width, std::int64_t height);

/// A source of a decoder's frames.
class DecodedSource : public Source {
 public:
  /// A function that opens the input again after it was lost or has ended. \throws IoError
  using Reopen = std::function<std::unique_ptr<Decoder>()>;

  /// Decodes the first frame. All others must have its size and format, unless options.rescale
  /// scales them. If `reopen` is given, the source fails only after reopen() has failed for
  /// options.reconnect_seconds.
  /// \throws IoError  there is no frame, or its kind is not supported.
  DecodedSource(std::unique_ptr<Decoder> decoder, const SourceOptions& options, Reopen reopen = {});

  bool next(std::span<std::byte> pixels) final;
  std::string why_not_on_gpu() final;
  bool next_on_gpu(std::byte* pixels, gpu::StreamHandle stream) final;
  std::optional<FrameTime> time() const final { return time_; }
  std::shared_ptr<Companions> take_companions() final;
  std::vector<std::string> take_news() final;
  std::int64_t reconnections() const final { return reconnections_; }

 protected:
  const AVStream& video() const { return decoder_->stream(); }
  /// Returns true if the frames are resampled to another rate than the file's.
  bool is_resampled() const { return is_resampled_; }

 private:
  using Clock = std::chrono::steady_clock;

  // `decoder` is a reference, so that `first`, another argument, can still be decoded with it.
  DecodedSource(std::unique_ptr<Decoder>&& decoder, const AVFrame& first,
                const SourceOptions& options, Reopen reopen);
  const AVFrame& scaled_like_first(const AVFrame& frame);
  bool decode_ahead();
  const AVFrame* decode();
  const AVFrame* open_again();
  void continue_with_new_input(const AVFrame& first, Clock::time_point asked);
  void add_news(std::string news);
  const AVFrame* next_frame();
  const AVFrame* next_resampled_frame();
  void copy(const AVFrame& frame, std::span<std::byte> pixels);

  std::unique_ptr<Decoder> decoder_;  // null after the input was lost and not reopened
  Reopen reopen_;
  double reconnect_seconds_;
  std::weak_ptr<OtherTracks> others_;  // owned by the caller of take_companions()
  const AVFrame* ahead_;               // decoded and not yet returned; null if there is none
  FrameTime ahead_time_;
  std::exception_ptr failure_;  // error in reading the frame after `shown_`; null if there is none
  std::int64_t first_frame_;    // time of the first frame in the file, in microseconds
  int pixels_;                  // an AVPixelFormat, the same for all frames
  io::PictureShape stored_;     // shape before the turn
  Stream decoded_;              // frames as the decoder gives them
  FrameCopy copy_frame_;
  std::optional<AlphaCopy> copy_with_alpha_;  // used instead of copy_frame_ for YUV with alpha
  ColourTags colours_;                        // stated by the user
  std::optional<Scaler> scaler_;              // for frames that differ from the first one
  // deviations from the first frame (size, pixels, colours) that were already reported
  std::set<std::string> reported_;
  int turn_;  // Exif orientation by which frames are turned; 1: not turned
  std::vector<std::byte> unturned_;
  Stream timing_;  // the file's own rate and ticks
  FrameClock clock_;
  bool is_resampled_;
  FrameTime time_;  // time of the frame returned last
  // For a new rate: the frame shown now, the end of its time, and the number of frames returned.
  Frame shown_ = new_frame();
  std::int64_t shown_until_ = 0;
  std::int64_t returned_ = 0;
  Clock::time_point last_arrival_ = Clock::now();
  std::atomic<std::int64_t> reconnections_ = 0;
  std::mutex news_mutex_;
  std::vector<std::string> news_;
};

}  // namespace warpwise::live::ffmpeg
