#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/live/ffmpeg/libraries.hpp"

struct AVFilterContext;
struct AVFilterGraph;

namespace warpwise::live::ffmpeg {

/// A chain of FFmpeg's filters, for frames of one size and one pixel format.
class FilterGraph {
 public:
  struct Filter {
    const char* name;
    std::string arguments;
  };

  /// `verb` names the first filter's work in messages: "deinterlace".
  /// \throws IoError  the first filter does not support frames like `like`
  FilterGraph(const AVFrame& like, AVRational time_base, const std::vector<Filter>& filters,
              const std::string& verb);

  /// Returns true for a frame with the size and pixels of `like`.
  bool takes(const AVFrame& frame) const;
  /// Puts in a frame, whose data it takes over, or null after the last one. \throws IoError
  void put(AVFrame* frame);
  /// Gets the next frame, with its time in the time base of the frames put in. Returns false if
  /// another frame has to be put in first, or after the last one. \throws IoError
  bool take(AVFrame& frame);
  /// Returns true if take() has returned false after the last frame.
  bool has_ended() const { return has_ended_; }

 private:
  struct Freed {
    void operator()(AVFilterGraph* graph) const;
  };
  AVRational time_base_;
  std::string name_;  // name of the first filter
  std::string kind_;
  std::unique_ptr<AVFilterGraph, Freed> graph_;
  AVFilterContext* in_;
  AVFilterContext* out_;
  bool has_ended_ = false;
};

}  // namespace warpwise::live::ffmpeg
