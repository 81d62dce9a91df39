#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/operation.hpp"

namespace warpwise::cli {

/// Reads every input, runs the operation on it, writes the results and prints a report. Finished
/// results stay after a failure.
/// \throws UsageError, IoError, NoCudaDevice, …  the first failure: thrown at once, or at the end
/// with --keep-going
void run_on_files(const SharedOptions& options, const Operation& operation);

}  // namespace warpwise::cli
