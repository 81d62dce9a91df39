#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/operation.hpp"

namespace warpwise::cli {

/// Reads every input, runs the operation on it, writes the results and prints what was done.
/// \throws UsageError, IoError, NoCudaDevice, …  at the first thing that cannot be done, or, with
///                                               --keep-going, at the end; what was finished stays.
void run_on_files(const SharedOptions& options, const Operation& operation);

}  // namespace warpwise::cli
