#pragma once

#include <optional>

#include "warpwise/live/ffmpeg/other_tracks.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live::ffmpeg {

/// Sets rate, own_ticks and is_varying of `stream` from the rates that FFmpeg found in the video.
void set_pace(Stream& stream, const AVStream& video);

/// Converts FFmpeg's time stamps to times since the first frame, which always increase.
class FrameClock {
 public:
  explicit FrameClock(const AVStream& video) : base_(video.time_base) {}

  /// Returns the time of the next frame, in ticks of `stream`. A file may consist of several joined
  /// recordings. Each begins after the sound of the one before, which `others` knows, or at once if
  /// `others` is null.
  FrameTime next(const AVFrame& frame, const Stream& stream, const OtherTracks* others = nullptr);

  /// Continues with a new connection to the video, which counts time anew. Its time `start` becomes
  /// `at`, counted from the first frame of the first connection. Both are in microseconds.
  void continue_after_reconnection(const AVStream& video, std::int64_t start, std::int64_t at);

 private:
  std::int64_t ticks_of(std::int64_t stamps, const Stream& stream) const;
  std::int64_t pause_at_join(const Stream& stream, const OtherTracks* others);

  AVRational base_;
  std::optional<std::int64_t> zero_;  // stamp of the first frame
  std::optional<std::int64_t> last_stamp_;
  std::optional<FrameTime> last_;
  std::size_t joins_ = 0;  // number of recordings after the first
};

}  // namespace warpwise::live::ffmpeg
