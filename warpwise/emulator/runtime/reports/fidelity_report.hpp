#pragma once

#include <string>

#include "warpwise/emulator/runtime/reports/report_files.hpp"

// Reports which kernels of a program were exact, modelled, or not run.
namespace warpwise::emulator::runtime {

/// Returns one line without a line end: either that all results are exact, or the kinds of inexact
/// behaviour and their reach.
/// \param checks  the run's checks. The line excludes races only with Check::races. With
/// Check::strict alone it adds "if no streams race", and with neither check "if no threads race"
std::string fidelity_line(const RunReport& report, Checks checks);

/// Describes each kind of inexact behaviour, its kernels and places, and calls that were not run.
std::string fidelity_text(const RunReport& report);

}  // namespace warpwise::emulator::runtime
