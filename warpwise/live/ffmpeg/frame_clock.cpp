#include "warpwise/live/ffmpeg/frame_clock.hpp"

#include <algorithm>
#include <cmath>

namespace warpwise::live::ffmpeg {
namespace {

Rate rate_of(AVRational rate) {
  const Rate in_our_words{rate.num, rate.den};
  return rate.den > 0 && in_our_words.is_possible() ? in_our_words : Rate{};
}

std::int64_t duration_of(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  return frame.duration;
#else
  return frame.pkt_duration;
#endif
}

}  // namespace

// FFmpeg gives the mean rate, and the lowest rate whose period divides all time stamps. The two
// rates differ if the frames' durations vary. If they are equal, own_ticks is chosen so that a
// frame lasts a whole number of ticks.
void set_pace(Stream& stream, const AVStream& video) {
  constexpr std::int64_t usual_ticks = 90000;
  constexpr double alike = 0.005;
  const Rate mean = rate_of(video.avg_frame_rate);
  const Rate grid = rate_of(video.r_frame_rate);
  stream.rate = mean.is_known() ? mean : grid;
  stream.is_varying =
      !stream.rate.is_known() ||
      (grid.is_known() && std::abs(grid.per_second() / stream.rate.per_second() - 1) > alike);
  if (stream.is_varying) {
    stream.own_ticks = {video.time_base.den, video.time_base.num};
  } else {
    const std::int64_t finer = (usual_ticks + stream.rate.numerator - 1) / stream.rate.numerator;
    stream.own_ticks = {stream.rate.numerator * finer, 1};
  }
}

// Time stamps are often rounded, in Matroska to milliseconds. If all frames have the same duration,
// a stamp is moved to a frame's regular time if it is at most one unit of time off.
std::int64_t FrameClock::ticks_of(std::int64_t stamps, const Stream& stream) const {
  const double seconds = static_cast<double>(stamps) * av_q2d(base_);
  if (!stream.is_varying) {
    const auto frames = std::llround(seconds * stream.rate.per_second());
    const double on_grid = static_cast<double>(frames) / stream.rate.per_second();
    if (std::abs(seconds - on_grid) <= av_q2d(base_)) return stream.regular_time(frames).start;
  }
  return std::llround(seconds * stream.ticks().per_second());
}

void FrameClock::continue_after_reconnection(const AVStream& video, std::int64_t start,
                                             std::int64_t at) {
  base_ = video.time_base;
  zero_ = av_rescale_q(start - at, microsecond, base_);
  last_stamp_.reset();
}

// Returns the pause before the next joined recording, in ticks. In the pause, sound that is longer
// than its video plays to its end. Each call goes on to the next join.
std::int64_t FrameClock::pause_at_join(const Stream& stream, const OtherTracks* others) {
  const std::int64_t pause = others != nullptr ? others->pause_before(joins_) : 0;
  ++joins_;
  const double seconds = static_cast<double>(pause) / AV_TIME_BASE;
  if (stream.is_varying) return std::llround(seconds * stream.ticks().per_second());
  return stream.regular_time(std::llround(seconds * stream.rate.per_second())).start;
}

FrameTime FrameClock::next(const AVFrame& frame, const Stream& stream, const OtherTracks* others) {
  const FrameTime regular = stream.regular_time(0);
  const std::int64_t expected = last_ ? last_->start + last_->duration : 0;
  const std::int64_t stamp = frame.best_effort_timestamp;
  FrameTime time{expected, regular.duration};
  const bool has_stamp = stamp != AV_NOPTS_VALUE && stamp != last_stamp_;
  if (has_stamp) {
    if (!zero_) zero_ = stamp;
    time.start = ticks_of(stamp - *zero_, stream);
    const double step_back =
        last_ ? static_cast<double>(last_->start - time.start) / stream.ticks().per_second() : 0;
    const bool is_new_count = step_back >= OtherTracks::step_back_of_a_join;
    if (is_new_count) {  // a joined recording, which follows the previous one
      time.start = expected + pause_at_join(stream, others);
      zero_ = stamp - std::llround(static_cast<double>(time.start) / stream.ticks().per_second() /
                                   av_q2d(base_));
    }
    last_stamp_ = stamp;
  }
  if (last_) time.start = std::max(time.start, last_->start + 1);
  if (duration_of(frame) > 0) time.duration = ticks_of(duration_of(frame), stream);
  last_ = time;
  return time;
}

}  // namespace warpwise::live::ffmpeg
