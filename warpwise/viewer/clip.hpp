#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "warpwise/viewer/computation.hpp"

namespace warpwise::viewer {

/// A video of results, while one is recorded. It holds every computed frame, in the source's order
/// and at its rate. One thread adds frames, another starts and stops; neither gets an exception. An
/// error ends the clip and is reported by state().
class Clip {
 public:
  /// `source` is the name of the source; if it is a file, no clip may replace it. `threads` of the
  /// CPU convert each frame to what the video holds.
  Clip(std::string source, int threads) : source_(std::move(source)), threads_(threads) {}
  ~Clip() { stop(); }
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

  /// Starts a clip with the next added frame, of `computation` or a later one. The codec follows
  /// from the name, as for videos in live::open_sink().
  void start(const std::string& path, std::shared_ptr<const Computation> computation);

  /// Adds a frame if a clip is recorded. A result that the video cannot hold, of another size than
  /// its first frame, ends the clip.
  void add(const std::shared_ptr<const Computation>& computation, const Frame& frame);

  /// Ends the clip; its file then plays and holds every added frame. Without a frame there is no
  /// file.
  void stop();

  /// State of the current clip, or of the last one.
  struct State {
    std::string path = {};
    std::int64_t frames = 0;
    bool is_recording = false;
    std::string error = {};
  };
  /// Returns at once, without waiting for a frame.
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
  std::optional<live::Stream> begun_;  // the video's frames, from its first one on
  // Convert this computation's results to frames that the sink takes.
  std::shared_ptr<const Computation> computation_;
  std::unique_ptr<live::Pipeline> conversion_;
  std::unique_ptr<live::Lane> lane_;
};

}  // namespace warpwise::viewer
