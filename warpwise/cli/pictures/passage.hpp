#pragma once

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/operation.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/cli/pictures/worker.hpp"

namespace warpwise::cli {

/// Checks a job before any job runs: the input's size and first bytes, and the paths of its
/// results. Does not read from pipes and devices. \throws IoError, InvalidArgument
void check_job(const Job& job, const SharedOptions& options);

/// Estimates the memory of run_job() in bytes. The estimate follows from the size of the input
/// file, because a picture's size is known only after decoding.
std::int64_t bytes_needed(const Job& job, const SharedOptions& options);

/// Reads a job's input, runs the operation on each picture in it, and writes the results.
/// \throws IoError, OutOfMemory, …  results that are not finished are removed.
FileReport run_job(const Job& job, const SharedOptions& options, const Operation& operation,
                   Worker& worker);

}  // namespace warpwise::cli
