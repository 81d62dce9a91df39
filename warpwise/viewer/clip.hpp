#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "warpwise/viewer/computation.hpp"

namespace warpwise::viewer {

/// Records a video of results. The video holds every added frame, in the source's order
/// and at its rate. One thread adds frames, another starts and stops the clip; no call throws. An
/// error ends the clip and is reported by state().
class Clip {
 public:
  /// `source` is the source's name; a clip never replaces that file. Each frame is converted for
  /// the video by `threads` CPU threads.
  Clip(std::string source, int threads) : source_(std::move(source)), threads_(threads) {}
  ~Clip() { stop(); }
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

  /// Starts a clip, whose first frame is the next added one. `computation` is the one in use now;
  /// add() may pass another. The name determines the codec, as for videos in live::open_sink().
  void start(const std::string& path, std::shared_ptr<const Computation> computation);

  /// Adds a frame if a clip is being recorded. All frames of a video have one size: a result of
  /// another size ends the clip.
  void add(const std::shared_ptr<const Computation>& computation, const Frame& frame);

  /// Ends the clip. Its file then plays and holds every added frame; without frames no file is
  /// left.
  void stop();

  /// State of the current clip, or of the last one.
  struct State {
    std::string path = {};
    std::int64_t frames = 0;
    bool is_recording = false;
    std::string error = {};
  };
  /// Returns the state at once, without waiting for a frame.
  State state() const;

 private:
  void require_name(const std::string& path) const;
  void convert_from(std::shared_ptr<const Computation> computation);
  void begin();
  void end(std::string error);
  void set_state(State state);

  const std::string source_;
  const int threads_;
  std::mutex mutex_;  // guards all members except state_
  mutable std::mutex state_mutex_;
  State state_;                        // changes under both mutexes
  std::unique_ptr<live::Sink> sink_;   // set while a clip is recorded
  std::optional<live::Stream> begun_;  // describes the video's frames; set with the first one
  // The members below convert the results of computation_ to frames that the sink takes.
  std::shared_ptr<const Computation> computation_;
  std::unique_ptr<live::Pipeline> conversion_;
  std::unique_ptr<live::Lane> lane_;
};

}  // namespace warpwise::viewer
