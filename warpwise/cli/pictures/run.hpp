#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/operation.hpp"

namespace warpwise::cli {

/// Reads every input, runs the operation on it, writes the results and prints a report.
/// \throws UsageError, IoError, NoCudaDevice, …  the first failure: at once, or with --keep-going
/// at the end. Finished results stay.
void run_on_files(const SharedOptions& options, const Operation& operation);

}  // namespace warpwise::cli
