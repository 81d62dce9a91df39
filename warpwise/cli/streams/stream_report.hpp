#pragma once

#include <optional>
#include <string>

#include "warpwise/io/picture_folder.hpp"
#include "warpwise/live/run.hpp"

namespace warpwise::cli {

/// The backend and device of a pipeline, and the number of frames that are computed at a time.
struct StreamPlace {
  std::string backend;  ///< "cpu" or "cuda"
  std::string device;
  std::size_t workers = 1;
  int threads_of_worker = 1;
  /// Reason why frames on a GPU pass through host memory; empty if they arrive on the GPU.
  std::string why_no_interop = {};
};

/// Data of a finished stream for its report.
struct StreamReport {
  const std::string& command;
  const live::Summary& summary;
  const live::Pipeline& pipeline;
  const live::Source& source;
  const live::Sink& sink;
  const StreamPlace& place;
  std::string not_held = {};  ///< parts of the stream that the sink cannot hold; may be empty
  io::Skipped skipped = {};   ///< files in a folder of pictures that were skipped
};

/// Describes the progress of a stream: "120 of 300 frames, 59.9 fps, 2 dropped".
std::string status_text(const live::Progress& now, const std::optional<std::int64_t>& total);

/// Returns ", shared with CUDA", or the reason why frames are not shared with CUDA. Returns an
/// empty text if the CPU computes, or if the frames are not drawn by OpenGL.
std::string interop_text(const StreamPlace& place, const live::Source& source);

/// Describes a finished stream in one line: frames written, their rate, and each part's mean time.
std::string text_of(const StreamReport& report);

/// Returns the object that --json prints, with a newline.
std::string json_text(const StreamReport& report);

}  // namespace warpwise::cli
