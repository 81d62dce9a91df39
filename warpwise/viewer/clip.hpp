#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "warpwise/viewer/computation.hpp"

namespace warpwise::viewer {

/// A video of results, as long as one is recorded: every frame that is computed, in the order and
/// at the rate of the source. One thread adds frames, another starts and stops; neither gets an
/// exception: what goes wrong ends the clip and is told by state().
class Clip {
 public:
  /// `source` is the name of what is read, which no clip may replace where it is a file; `threads`
  /// of the CPU convert a frame to what the video holds.
  Clip(std::string source, int threads) : source_(std::move(source)), threads_(threads) {}
  ~Clip() { stop(); }
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

  /// With the next frame that is added, of `computation` or one after it. The codec follows from
  /// the name, as live::open_sink() says of videos.
  void start(const std::string& path, std::shared_ptr<const Computation> computation);

  /// Nothing where no clip is recorded. A result that the video cannot hold, of another size than
  /// its first, ends it.
  void add(const std::shared_ptr<const Computation>& computation, const Frame& frame);

  /// The file then plays, and holds every frame that was added; without one there is no file.
  void stop();

  /// Of the clip that is recorded, or was the last.
  struct State {
    std::string path = {};
    std::int64_t frames = 0;
    bool is_recording = false;
    std::string error = {};
  };
  /// Waits for no frame.
  State state() const;

 private:
  void require_name(const std::string& path) const;
  void convert_from(std::shared_ptr<const Computation> computation);
  void begin();
  void end(std::string error);
  void set_state(State state);

  const std::string source_;
  const int threads_;
  std::mutex mutex_;  // of all but what is said of it
  mutable std::mutex state_mutex_;
  State state_;                        // changes under both
  std::unique_ptr<live::Sink> sink_;   // while it is recorded
  std::optional<live::Stream> begun_;  // what the video holds, from its first frame on
  // From the results of this computation to what the sink takes.
  std::shared_ptr<const Computation> computation_;
  std::unique_ptr<live::Pipeline> conversion_;
  std::unique_ptr<live::Lane> lane_;
};

}  // namespace warpwise::viewer
