#pragma once

#include <atomic>
#include <string>

// Reports a program that is ended by SIGINT, SIGTERM or a time limit.
namespace warpwise::emulator::runtime {

/// Starts a thread that waits for SIGINT, SIGTERM or the time limit. It lets running launches end
/// with an `interrupted` fault, calls `conclude`, and ends the process: by the signal, or with the
/// code that `conclude` returns. A signal that the program handles or ignores itself is left alone.
/// \param seconds  0: no limit
/// \param conclude  is given the reason, and whether the time limit is it
void end_at_interruption(int seconds, int (*conclude)(const std::string& why, bool is_time_limit));

/// Returns LaunchOptions::interrupted for every launch.
const std::atomic<bool>* interruption();

/// Returns the reason of the interruption. Only after it.
std::string why_interrupted();

/// Scope of a launch, from its begin until it is recorded. After an interruption the thread does
/// not leave it: the process ends.
class InterruptibleScope {
 public:
  InterruptibleScope();
  ~InterruptibleScope();
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;
};

}  // namespace warpwise::emulator::runtime
