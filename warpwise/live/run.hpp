#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "warpwise/live/lane.hpp"
#include "warpwise/live/sink.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live {

struct RunOptions {
  /// If true, frames are read at the source's own pace. With a slower sink, the newest frame
  /// replaces older ones, which are dropped. If false, every frame of the source is written.
  bool realtime = false;
  /// Number of frames after which reading stops.
  std::optional<std::int64_t> frames;
  /// Number of frames computed at the same time. Must be 1 if Pipeline::is_stateful().
  std::size_t workers = 1;
};

/// Returns the number of lanes that a run with `workers` needs. A lane holds one frame. Besides the
/// frames that workers compute, one frame is read, one waits for a worker, and one is written.
constexpr std::size_t lane_count_for(std::size_t workers) { return workers + 3; }

/// Progress of a run.
struct Progress {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t dropped = 0;  ///< replaced by a newer frame
  std::int64_t late = 0;     ///< read late by more than one frame's time; only with realtime
  double seconds = 0;        ///< time since the run began
};

/// Outcome of a run.
struct Summary : Progress {
  bool was_stopped = false;  ///< stopped by the caller before the source's end
  // Sums over all frames, in milliseconds.
  double read_milliseconds = 0;
  double write_milliseconds = 0;  ///< includes finishing the sink
  Lane::Milliseconds lanes;
  /// Milliseconds from a frame's arrival to the end of its writing, over the last 65,536 frames; 0
  /// without frames.
  double age_median = 0;
  double age_p99 = 0;
  /// First failure of the source, the pipeline or the sink. The sink was finished nevertheless.
  std::exception_ptr failure;
};

/// Callbacks of the caller during a run.
struct RunCallbacks {
  std::function<bool()> is_stop_requested;               ///< called ten times a second
  std::function<void(const Progress&)> report_progress;  ///< as often, on run()'s thread
};

/// Runs frames from a source through lanes (each computes one frame at a time) to a sink that has
/// begun, and finishes the sink. Reading, computing and writing overlap. Frames are written in
/// order, each with its time. Returns when all frames are written. If a stop is requested, a
/// source that waits for a frame is left waiting.
Summary run(std::shared_ptr<Source> source, std::vector<std::unique_ptr<Lane>> lanes,
            std::shared_ptr<Sink> sink, const RunOptions& options, const RunCallbacks& callbacks);

}  // namespace warpwise::live
