#pragma once

#include <string>

#include "warpwise/emulator/runtime/reports/report_files.hpp"

// Reports which kernels of a program were exact, modelled, or not run.
namespace warpwise::emulator::runtime {

/// Returns one line without a line end: "all exact", or the other kinds with their extent.
std::string fidelity_line(const RunReport& report, bool races_were_checked);

/// Returns the same, with each kind's kernels and source lines, and with kernels and calls not run.
std::string fidelity_text(const RunReport& report);

}  // namespace warpwise::emulator::runtime
