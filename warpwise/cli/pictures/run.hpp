#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/operation.hpp"

namespace warpwise::cli {

/// Reads every input, runs the operation on it, writes the results and prints a report.
/// \throws UsageError, IoError, NoCudaDevice, …  at the first failure, or, with --keep-going, at
/// the
///                                               end; finished results stay.
void run_on_files(const SharedOptions& options, const Operation& operation);

}  // namespace warpwise::cli
