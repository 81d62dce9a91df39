#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/jobs.hpp"
#include "warpwise/cli/operation.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/cli/worker.hpp"

namespace warpwise::cli {

/// Refuses a job before any is done, as far as its input's size and first bytes and the place of
/// its results tell. Of pipes and devices nothing is read. \throws IoError, InvalidArgument
void check_job(const Job& job, const SharedOptions& options);

/// About how many bytes run_job() needs, from the size of the input's file: that of a picture is
/// known only once it is decoded.
std::int64_t bytes_needed(const Job& job, const SharedOptions& options);

/// Reads a job's input, runs the operation on each picture in it, and writes the results.
/// \throws IoError, OutOfMemory, …  nothing is left of unfinished results.
FileReport run_job(const Job& job, const SharedOptions& options, const Operation& operation,
                   Worker& worker);

}  // namespace warpwise::cli
