#pragma once

// Ctrl-C during long work with results worth keeping.
namespace warpwise::cli {

/// While it lives, the first SIGINT or SIGTERM only asks to stop, and `said` is printed to standard
/// error. The second one ends the program by default. An ignored signal stays ignored. `said` must
/// outlive this. Only one may exist at a time.
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
