#pragma once

// Handles Ctrl-C during long work with results worth keeping.
namespace warpwise::cli {

/// During its lifetime, the first SIGINT or SIGTERM only requests a stop and prints `said` to
/// standard error. A second one gets the earlier handler. An ignored signal stays ignored.
/// `said` must outlive this object. Only one such object may exist at a time.
class Interruption {
 public:
  explicit Interruption(const char* said);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool asked();
  /// Ends the program with the signal that was received, so that the parent process sees it.
  [[noreturn]] static void end();
};

}  // namespace warpwise::cli
