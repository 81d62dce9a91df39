#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/jobs.hpp"
#include "warpwise/cli/operation.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/cli/worker.hpp"

namespace warpwise::cli {

/// About how many bytes run_job() needs, from the size of the input's file: that of a picture is
/// known only once it is decoded.
std::int64_t bytes_needed(const Job& job, const SharedOptions& options);

/// Reads a job's input, runs the operation on each picture in it, and writes the results.
/// \throws IoError, OutOfMemory, …  nothing is left of unfinished results.
FileReport run_job(const Job& job, const SharedOptions& options, const Operation& operation,
                   Worker& worker);

}  // namespace warpwise::cli
