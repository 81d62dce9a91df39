#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/operation.hpp"

namespace warpwise::cli {

/// Reads every input, runs the operation on it, writes the results and prints a report. A failure
/// does not remove finished results.
/// \throws UsageError, NoCudaDevice, …  an error before any input, or the first failure. With
///                     --keep-going, a line is printed for each failure, and an Error at the end
///                     has their number.
void run_on_files(const SharedOptions& options, const Operation& operation);

}  // namespace warpwise::cli
