#pragma once

#include <string>

#include "warpwise/live/lane.hpp"
#include "warpwise/viewer/viewer.hpp"

namespace warpwise::viewer {

/// Why a source's frames come by the host, in words; empty where CUDA shares them. Asked before
/// there is a window: a source that OpenGL draws has a context of its own, and a thread only one.
std::string why_no_source(live::Source& source, const ViewOptions& options);

/// What CUDA and OpenGL share of the way from the source to the window, which is current.
class Sharing {
 public:
  /// `no_source` is why_no_source().
  Sharing(const live::Source& source, const std::string& no_source, const ViewOptions& options);

  live::OnGpu on_gpu() const { return on_gpu_; }
  /// A line for each end, behind a line break; empty where the CPU computes.
  const std::string& text() const { return text_; }

 private:
  live::OnGpu on_gpu_;
  std::string text_;
};

}  // namespace warpwise::viewer
