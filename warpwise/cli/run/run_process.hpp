#pragma once

#include <functional>

#include "warpwise/lab/compile/subprocess.hpp"

// Starts a program's process for `warpwise run`.
namespace warpwise::cli {

/// Calls `become` in a new process, which then becomes the program, and waits for its end. Forwards
/// signals to it.
/// \returns the status of waitpid()
int run_to_its_end(const lab::TemporaryFolder& folder, const std::function<void()>& become);

/// Ends this process as the program ended: with its exit code or by its signal. `status` is
/// waitpid()'s.
[[noreturn]] void end_as(int status);

}  // namespace warpwise::cli
