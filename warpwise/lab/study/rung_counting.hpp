#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/rung_counts.hpp"
#include "warpwise/lab/study/study_table.hpp"

// What stands beside a rung's times: what the emulator counts of its launches.
namespace warpwise::lab {

/// Warp instructions that a launch of a problem of this size may take.
std::uint64_t budget_of(const StudyTable& table, const Size& size);

struct CountedRung {
  std::optional<ladders::Problem> problem;  ///< what was counted
  std::vector<RungCounts> counts;           ///< for each compute capability
  std::vector<emulator::Dim3> grids;        ///< of the launches
};

/// Counts a rung's launches of a problem of the size that the table gives for it. Nothing is
/// counted where the emulator does not run them: the times that they stand beside are right all the
/// same. \throws KernelFault, InvalidArgument, CompileError
CountedRung count_rung(EmulatorExecutor& executor, const StudyTable& table, const Rung& rung,
                       const ladders::Variables& parameters, const emulator::Dim3& block,
                       const std::vector<rules::ComputeCapability>& ccs);

}  // namespace warpwise::lab
