#pragma once

#include <string>

#include "warpwise/live/lane.hpp"
#include "warpwise/viewer/viewer.hpp"

namespace warpwise::viewer {

/// Returns why a source's frames reach the GPU through the host's memory. The text is empty if they
/// stay on the GPU, or if the CPU computes. Call it before a window exists: an OpenGL source has
/// its own context, and a thread has only one current context.
std::string why_source_not_on_gpu(live::Source& source, const ViewOptions& options);

/// Decides which frames CUDA and OpenGL share between the source and the window. Requires that the
/// window's context is current.
class Sharing {
 public:
  /// `no_source` is the result of why_source_not_on_gpu().
  Sharing(const live::Source& source, const std::string& no_source, const ViewOptions& options);

  live::OnGpu on_gpu() const { return on_gpu_; }
  /// Says if frames bypass the host on the way to the window, and on the way from a source that
  /// OpenGL draws. Each line begins with a line break. The text is empty if the CPU computes.
  const std::string& text() const { return text_; }

 private:
  live::OnGpu on_gpu_;
  std::string text_;
};

}  // namespace warpwise::viewer
