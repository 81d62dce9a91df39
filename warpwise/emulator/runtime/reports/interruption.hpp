#pragma once

#include <atomic>
#include <string>

// Reports a program that SIGINT, SIGTERM or a time limit ends.
namespace warpwise::emulator::runtime {

/// Starts a thread that waits for SIGINT, SIGTERM or the time limit. It ends running launches with
/// an `interrupted` fault, calls `conclude`, and ends the process: by the signal, or with the exit
/// code from `conclude`. A signal that the program handles or ignores is left alone.
/// \param seconds  0: no limit
/// \param conclude  gets the reason, and true if the reason is the time limit
void end_at_interruption(int seconds, int (*conclude)(const std::string& why, bool is_time_limit));

/// Returns the flag for LaunchOptions::interrupted of every launch.
const std::atomic<bool>* interruption();

/// Returns the interruption's reason. Requires an interruption.
std::string why_interrupted();

/// Scope of a launch, from its begin to its record. After an interruption, the thread does not
/// leave the scope, because the process ends.
class InterruptibleScope {
 public:
  InterruptibleScope();
  ~InterruptibleScope();
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;
};

}  // namespace warpwise::emulator::runtime
