#pragma once

#include <string>

#include "warpwise/emulator/runtime/reports/report_files.hpp"

// Reports which kernels of a program were exact, modelled, or not run.
namespace warpwise::emulator::runtime {

/// Returns one line without a line end. It lists the kinds of inexact behaviour, each with its
/// reach ("may have reached a branch"). Without any, it names races that were found, or says that
/// every result is exact.
/// \param checks  the run's checks. Without Check::races, results are exact only if nothing races.
/// The line then ends with "if no streams race" for Check::strict, else with "if no threads race"
std::string fidelity_line(const RunReport& report, Checks checks);

/// Describes each kind of inexact behaviour, its kernels and places, and calls that were not run.
std::string fidelity_text(const RunReport& report);

}  // namespace warpwise::emulator::runtime
