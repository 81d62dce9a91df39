#pragma once

#include <optional>

#include "warpwise/live/ffmpeg/filter_graph.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live::ffmpeg {

/// Scales frames to the size, pixels and colours of another frame, with FFmpeg's filter scale.
class Scaler {
 public:
  /// The results have the size and pixel format of `target`, and `colours`.
  Scaler(const AVFrame& target, const Colours& colours);

  /// Returns the scaled frame, valid until the next call. `colours` are those of `frame`.
  /// \throws IoError  the filter does not take frames of this pixel format
  const AVFrame& operator()(const AVFrame& frame, const Colours& colours);

 private:
  std::string target_;  // arguments of the filter, except for the source's colours
  std::string pixels_;
  std::string from_;  // colours of the frames that graph_ takes
  std::optional<FilterGraph> graph_;
  Frame scaled_ = new_frame();
};

}  // namespace warpwise::live::ffmpeg
