#pragma once

#include <optional>
#include <string>

#include "warpwise/live/run.hpp"

namespace warpwise::cli {

/// Where a pipeline runs, and how many frames at a time.
struct StreamPlace {
  std::string backend;  ///< "cpu" or "cuda"
  std::string device;
  std::size_t workers = 1;
  int threads_of_worker = 1;
  /// Of cuda: why frames come by the host; empty where the GPU has them from OpenGL.
  std::string why_no_interop = {};
};

/// What is told of a stream that has ended.
struct StreamReport {
  const live::Summary& summary;
  const live::Pipeline& pipeline;
  const live::Source& source;
  const live::Sink& sink;
  const StreamPlace& place;
};

/// "120 of 300 frames, 59.9 fps, 2 dropped", while it runs.
std::string status_text(const live::Progress& now, const std::optional<std::int64_t>& total);

/// ", shared with CUDA", or why not; empty of a source that OpenGL does not draw and on the CPU.
std::string interop_text(const StreamPlace& place, const live::Source& source);

/// One line: what was written, how fast, and what each part took of a frame on average.
std::string text_of(const StreamReport& report);

/// The object that --json prints, with a newline.
std::string json_text(const StreamReport& report);

}  // namespace warpwise::cli
