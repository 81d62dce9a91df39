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
  /// Frames at a source's own pace; where the sink is slower, the newest wins and older ones are
  /// dropped. Otherwise every frame of the source comes out, however long it takes.
  bool realtime = false;
  /// The source is left after so many frames.
  std::optional<std::int64_t> frames;
  /// Frames that are computed at a time. 1 for a pipeline that remembers.
  std::size_t workers = 1;
};

/// How many lanes a run with so many workers needs: one is filled, one waits, one is written.
constexpr std::size_t lanes_for(std::size_t workers) { return workers + 3; }

/// How far a run is.
struct Progress {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t dropped = 0;  ///< for a newer frame
  std::int64_t late = 0;     ///< that were read after their time, with realtime
  double seconds = 0;        ///< since the first frame was asked for
};

/// What came of a run.
struct Summary : Progress {
  bool was_stopped = false;  ///< before the source's end, because somebody asked
  // Sums over all frames, milliseconds.
  double read_milliseconds = 0;
  double write_milliseconds = 0;  ///< with finishing
  Lane::Milliseconds lanes;
  /// From a frame's arrival to the end of its writing; of the last 65,536 frames. 0 without any.
  double age_median = 0;
  double age_p99 = 0;
  /// Of the source, the pipeline or the sink. The sink was finished all the same.
  std::exception_ptr failure;
};

/// Who watches a run.
struct Watcher {
  std::function<bool()> is_stop_asked;        ///< asked some times a second
  std::function<void(const Progress&)> show;  ///< called likewise, by the caller's thread
};

/// Brings frames from a source through lanes to a sink that has begun, and finishes it. Reading,
/// computing and writing overlap, and no more than `lanes` are on their way. Frames are written in
/// their order. Returns when all is written; a source that is asked to stop while it waits for a
/// frame is left waiting.
Summary run(std::shared_ptr<Source> source, std::vector<std::unique_ptr<Lane>> lanes,
            std::shared_ptr<Sink> sink, const RunOptions& options, const Watcher& watcher);

}  // namespace warpwise::live
