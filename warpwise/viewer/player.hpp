#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "warpwise/viewer/clip.hpp"

namespace warpwise::viewer {

/// A frame that is shown, and the computation whose memory it lies in.
struct Shown {
  std::shared_ptr<Computation> computation;
  const Frame* frame = nullptr;
  std::int64_t number = 0;  ///< of the source's frames, from 1 on; 0 where there is none yet
};

/// Reads and computes a source's frames at its pace, on one thread, for one other thread, which
/// takes the newest when it likes.
class Player {
 public:
  /// `frames` are read at most. Each is added to `clip` before it is shown. `notify` is called by
  /// the thread that plays whenever newest() or the state has changed.
  Player(std::shared_ptr<live::Source> source, std::shared_ptr<Computation> computation,
         std::shared_ptr<Clip> clip, std::optional<std::int64_t> frames,
         std::function<void()> notify);

  /// The thread's own loop, until the end of the program: after the last frame it waits for another
  /// computation. Returns after stop().
  void play();

  /// The newest frame, whose memory then stays as it is until the next call.
  Shown newest();

  /// For the last frame once more, and all that follow.
  void replace(std::shared_ptr<Computation> computation);

  void toggle_pause();
  /// Pauses after one more frame.
  void step();
  void stop();
  /// Whether play() returns in time; a source that waits for a frame may not.
  bool wait_for_end();

  struct State {
    bool is_paused = false;
    bool has_ended = false;                ///< no frame comes any more
    std::int64_t read = 0;                 ///< frames of the source
    std::exception_ptr failure = nullptr;  ///< of the source or the pipeline
  };
  State state();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Task { read, compute_again, stop };

  // Where a frame is computed.
  struct Place {
    std::shared_ptr<Computation> computation;
    Frame& frame;
  };

  void play_on();
  Task wait_for_task();
  void set_next_due();
  Place free_place();
  bool read_frame();
  void compute_again();
  void fail(std::exception_ptr failure);

  const std::shared_ptr<live::Source> source_;
  const std::shared_ptr<Clip> clip_;
  const std::optional<std::int64_t> frames_;
  const std::function<void()> notify_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Computation> next_;  // what the next frame goes through
  Shown newest_;
  Shown taken_;  // by the other thread
  State state_;
  std::int64_t steps_ = 0;  // frames that were asked for while it is paused
  bool is_stopped_ = false;
  bool has_returned_ = false;
  Clock::time_point due_ = Clock::now();
};

/// The thread that plays. A source that waits for a frame at the end is left waiting.
class PlayerThread {
 public:
  explicit PlayerThread(std::shared_ptr<Player> player);
  ~PlayerThread();
  PlayerThread(const PlayerThread&) = delete;
  PlayerThread& operator=(const PlayerThread&) = delete;

 private:
  std::shared_ptr<Player> player_;
  std::thread thread_;
};

}  // namespace warpwise::viewer
