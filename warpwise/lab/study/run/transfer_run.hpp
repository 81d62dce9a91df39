#pragma once

#include <string>

#include "warpwise/lab/measure/end_to_end.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Runs a rung from host memory to host memory.
namespace warpwise::lab {

struct TransferRun {
  EndToEnd times;
  std::string wrong;  ///< first wrong result after the last run; makes the times invalid
};

/// Runs a rung end to end, with operands transferred as `transfer` says. Compares the results in
/// host memory with `expected`.
/// \param problem, parameters  as the table makes them, without gaps between rows
/// \throws Unsupported  with the reason: the rung is not for this problem, or does not support
///                      `transfer`
/// \throws Error        as RungRun and time_end_to_end()
TransferRun run_with_transfers(GpuExecutor& executor, const StudyTable& table, const Rung& rung,
                               const ladders::Problem& problem,
                               const ladders::Variables& parameters,
                               const ladders::Problem& expected, const emulator::Dim3& block,
                               const Transfer& transfer);

}  // namespace warpwise::lab
