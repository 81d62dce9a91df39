#pragma once

#include <string>

#include "warpwise/emulator/runtime/report_files.hpp"

// What of a program's kernels was exact, modelled, or not run.
namespace warpwise::emulator::runtime {

/// One line, without its end: that all was exact, or the kinds that were not and what they may have
/// reached.
std::string fidelity_line(const RunReport& report, bool races_were_checked);

/// The same with each kind's kernels and source lines, and what was not run.
std::string fidelity_text(const RunReport& report);

}  // namespace warpwise::emulator::runtime
