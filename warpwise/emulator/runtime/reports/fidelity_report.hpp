#pragma once

#include <string>

#include "warpwise/emulator/runtime/reports/report_files.hpp"

// Reports which kernels of a program were exact, modelled, or not run.
namespace warpwise::emulator::runtime {

/// Returns a line without its end: all is exact, or the kinds of inexact behaviour and their reach.
/// \param checks  the run's checks; Check::strict alone does not look at streams
std::string fidelity_line(const RunReport& report, Checks checks);

/// Describes each kind of inexact behaviour, its kernels and places, and calls that were not run.
std::string fidelity_text(const RunReport& report);

}  // namespace warpwise::emulator::runtime
