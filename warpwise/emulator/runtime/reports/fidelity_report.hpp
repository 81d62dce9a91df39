#pragma once

#include <string>

#include "warpwise/emulator/runtime/reports/report_files.hpp"

// Reports which kernels of a program were exact, modelled, or not run.
namespace warpwise::emulator::runtime {

/// Returns one line without a line end: "all exact", or the other kinds with their extent.
/// \param checks  those of the run; Check::strict alone does not look at streams
std::string fidelity_line(const RunReport& report, Checks checks);

/// Returns the same, with each kind's kernels and source lines, and with kernels and calls not run.
std::string fidelity_text(const RunReport& report);

}  // namespace warpwise::emulator::runtime
