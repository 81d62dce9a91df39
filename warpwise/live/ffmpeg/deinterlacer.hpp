#pragma once

#include <optional>

#include "warpwise/live/ffmpeg/filter_graph.hpp"

namespace warpwise::live::ffmpeg {

/// Makes one whole frame of each interlaced frame, with FFmpeg's filter bwdif. The filter returns a
/// frame only after it got the next one.
class Deinterlacer {
 public:
  explicit Deinterlacer(AVRational time_base) : time_base_(time_base) {}

  /// Puts in the next frame, or null after the last one. Call it when take() has returned false.
  /// \throws IoError  the filter does not support the frame's pixel format.
  void put(const AVFrame* frame);
  /// Gets the next frame. Returns false if another frame has to be put in first, or after the last.
  /// \throws IoError  as put()
  bool take(AVFrame& frame);

 private:
  void open(const AVFrame& first);

  AVRational time_base_;
  std::optional<FilterGraph> graph_;  // none before the first frame
  Frame other_;                       // frame of another size; waits until graph_ has ended
};

}  // namespace warpwise::live::ffmpeg
