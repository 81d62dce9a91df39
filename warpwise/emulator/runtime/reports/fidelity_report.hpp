#pragma once

#include <string>

#include "warpwise/emulator/runtime/reports/report_files.hpp"

// Reports which of a program's kernels were exact, modelled, or not run.
namespace warpwise::emulator::runtime {

/// Returns one line, without a line end: all was exact, or the kinds that were not and their reach.
std::string fidelity_line(const RunReport& report, bool races_were_checked);

/// Returns the same with each kind's kernels and source lines, and the kernels and calls not run.
std::string fidelity_text(const RunReport& report);

}  // namespace warpwise::emulator::runtime
