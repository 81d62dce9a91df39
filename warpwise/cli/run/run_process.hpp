#pragma once

#include <functional>

#include "warpwise/lab/compile/subprocess.hpp"

// Starts a program's process for `warpwise run`.
namespace warpwise::cli {

/// Starts a new process, which calls `exec_program` to turn into the program. Waits for the process
/// to end, and forwards signals to it.
/// \returns the status in the form of waitpid()
int run_and_wait(const lab::TemporaryFolder& folder, const std::function<void()>& exec_program);

/// Ends this process as the program ended: with its exit code or by its signal. \param status  the
/// program's status in the form of waitpid()
[[noreturn]] void exit_as(int status);

}  // namespace warpwise::cli
