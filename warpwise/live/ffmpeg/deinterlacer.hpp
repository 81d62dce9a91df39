#pragma once

#include <memory>
#include <string>

#include "warpwise/live/ffmpeg/libraries.hpp"

struct AVFilterContext;
struct AVFilterGraph;

namespace warpwise::live::ffmpeg {

/// Makes one whole frame of each interlaced frame, with FFmpeg's filter bwdif. A frame comes out
/// after the next one went in.
class Deinterlacer {
 public:
  explicit Deinterlacer(AVRational time_base) : time_base_(time_base) {}

  /// Puts in the next frame, or null after the last one. Call it when take() has returned false.
  /// \throws IoError  the filter does not support such frames.
  void put(const AVFrame* frame);
  /// Returns the next frame; false if another one has to be put in first, or after the last one.
  /// \throws IoError  as put()
  bool take(AVFrame& frame);

 private:
  void open(const AVFrame& first);
  void pass(AVFrame* frame);

  struct FreedGraph {
    void operator()(AVFilterGraph* graph) const;
  };
  AVRational time_base_;
  std::unique_ptr<AVFilterGraph, FreedGraph> graph_;  // null before the first frame
  AVFilterContext* in_ = nullptr;
  AVFilterContext* out_ = nullptr;
  Frame other_;              // frame of another size, which waits for the frames before it
  std::string kind_of_all_;  // size and pixels of the frames in the filter
};

}  // namespace warpwise::live::ffmpeg
