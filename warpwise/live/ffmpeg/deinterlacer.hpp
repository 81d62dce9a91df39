#pragma once

#include <memory>
#include <string>

#include "warpwise/live/ffmpeg/libraries.hpp"

struct AVFilterContext;
struct AVFilterGraph;

namespace warpwise::live::ffmpeg {

/// Makes whole frames of interlaced ones with FFmpeg's filter bwdif, one of each. A frame comes out
/// after the next one went in.
class Deinterlacer {
 public:
  explicit Deinterlacer(AVRational time_base) : time_base_(time_base) {}

  /// Takes the next frame, or null after the last one. Called when take() has no more.
  /// \throws IoError  the filter does not take such frames.
  void put(const AVFrame* frame);
  /// Gives the next frame; false if another one has to be put in, or all were given.
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
  Frame other_;              // waits until those before it, of another size, were given
  std::string kind_of_all_;  // size and pixels of the frames in the filter
};

}  // namespace warpwise::live::ffmpeg
