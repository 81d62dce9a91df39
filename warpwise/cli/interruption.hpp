#pragma once

// Ctrl-C during long work, of which something is worth keeping.
namespace warpwise::cli {

/// While one lives, the first SIGINT or SIGTERM asks to stop, and `said` is printed to standard
/// error, a text that outlives it; the second ends the program as it always would. A signal that
/// was ignored stays so. One at a time.
class Interruption {
 public:
  explicit Interruption(const char* said);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool asked();
  /// Ends the program by the signal that asked, so that whoever started it sees that.
  [[noreturn]] static void end();
};

}  // namespace warpwise::cli
