#pragma once

#include <functional>

#include "warpwise/lab/compile/subprocess.hpp"

// The process of a program that `warpwise run` starts.
namespace warpwise::cli {

/// Calls `become` in a new process, which turns into the program, and waits for its end. Signals to
/// this process are handed on.
/// \returns the status, as waitpid() does
int run_to_its_end(const lab::TemporaryFolder& folder, const std::function<void()>& become);

/// Ends this process as the program with this status ended, by a signal too.
[[noreturn]] void end_as(int status);

}  // namespace warpwise::cli
