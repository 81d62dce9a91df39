#pragma once

#include <string>

#include "warpwise/lab/measure/end_to_end.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Runs a rung from host memory to host memory.
namespace warpwise::lab {

struct TransferRun {
  EndToEnd times;
  std::string wrong;  ///< first wrong result after the last run; if set, the times are invalid
};

/// Runs a rung end to end, with the transfers that `transfer` describes. Compares the results in
/// host memory with `expected`.
/// \param problem, parameters  a problem of the table without gaps between rows, and its parameters
/// \throws Unsupported  the rung does not support this problem or `transfer`; the message has the
///                      reason
/// \throws Error        as RungRun and time_end_to_end()
TransferRun run_with_transfers(GpuExecutor& executor, const StudyTable& table, const Rung& rung,
                               const ladders::Problem& problem,
                               const ladders::Variables& parameters,
                               const ladders::Problem& expected, const emulator::Dim3& block,
                               const Transfer& transfer);

}  // namespace warpwise::lab
