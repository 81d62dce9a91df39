#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/counters/rung_counts.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Counts a rung's launches in the emulator. Reports show the counts beside the rung's times.
namespace warpwise::lab {

/// Returns the number of warp instructions that a launch for a problem of this size may execute.
std::uint64_t budget_of(const StudyTable& table, const Size& size);

struct CountedRung {
  std::optional<ladders::Problem> problem;  ///< problem that was counted
  std::vector<RungCounts> counts;           ///< one for each compute capability
  std::vector<emulator::Dim3> grids;        ///< grids of the launches
};

/// Counts a rung's launches on a problem of the table's emulator_size. Returns no counts if the
/// rung or the emulator does not support that problem, since the rung's times are valid without
/// counts.
/// \throws KernelFault, InvalidArgument, CompileError
CountedRung count_rung(EmulatorExecutor& executor, const StudyTable& table, const Rung& rung,
                       const ladders::Variables& parameters, const emulator::Dim3& block,
                       const std::vector<rules::ComputeCapability>& ccs);

}  // namespace warpwise::lab
