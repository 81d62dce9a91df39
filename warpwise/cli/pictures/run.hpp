#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/operation.hpp"

namespace warpwise::cli {

/// Reads every input, runs the operation on it, writes the results and prints a report. Finished
/// results stay after a failure.
/// \throws UsageError, NoCudaDevice, …  before any input, or the first failure. With --keep-going
/// each failure is a line, and an Error at the end counts them.
void run_on_files(const SharedOptions& options, const Operation& operation);

}  // namespace warpwise::cli
