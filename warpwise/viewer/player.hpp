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

/// The frame in the window, and the computation that owns its memory.
struct Shown {
  std::shared_ptr<Computation> computation;
  const Frame* frame = nullptr;
  std::int64_t number = 0;  ///< number of the source's frame, from 1; 0 if there is none yet
};

/// Reads and computes a source's frames on one thread, at the source's pace. One other thread may
/// take the newest frame at any time.
class Player {
 public:
  /// Reads at most `frames`. Each frame is added to `clip` before it is shown. The playing thread
  /// calls `notify` after each change that it makes to newest() or the state.
  Player(std::shared_ptr<live::Source> source, std::shared_ptr<Computation> computation,
         std::shared_ptr<Clip> clip, std::optional<std::int64_t> frames,
         std::function<void()> notify);

  /// Runs the playing thread's loop until stop(). After the last frame it waits for another
  /// computation.
  void play();

  /// Returns the newest frame; its memory stays unchanged until the next call.
  Shown newest();

  /// Switches to another computation: it computes the last frame again, then all later frames.
  void replace(std::shared_ptr<Computation> computation);

  void toggle_pause();
  /// Shows one more frame and pauses.
  void step();
  void stop();
  /// Waits a short time for the end of play(). Returns false if the source still waits for a frame.
  bool wait_for_end();

  struct State {
    bool is_paused = false;
    bool has_ended = false;                ///< no further frame comes
    std::int64_t read = 0;                 ///< number of frames read from the source
    std::exception_ptr failure = nullptr;  ///< last failure of the source or the pipeline
  };
  State state();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Task { read, compute_again, stop };

  // Memory for the next frame, and the computation that owns it.
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
  std::shared_ptr<Computation> next_;  // computation of the next frame
  Shown newest_;
  Shown taken_;  // in use by the other thread
  State state_;
  std::int64_t steps_ = 0;  // number of frames requested during a pause
  bool is_stopped_ = false;
  bool has_returned_ = false;
  Clock::time_point due_ = Clock::now();
};

/// The playing thread. If the source waits for a frame at the end, the thread is detached.
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
