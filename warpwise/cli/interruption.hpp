#pragma once

// Handles Ctrl-C during long work whose partial results should be kept.
namespace warpwise::cli {

/// While this object exists, the first SIGINT or SIGTERM only requests a stop, and prints `said` to
/// standard error. A second signal goes to the handler that was set before. An ignored signal stays
/// ignored. `said` must outlive this object. Only one object of this class may exist at a time.
class Interruption {
 public:
  explicit Interruption(const char* said);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool is_requested();
  /// Ends the program by the signal that was received, so that the parent process sees the signal.
  [[noreturn]] static void raise_signal();
};

}  // namespace warpwise::cli
