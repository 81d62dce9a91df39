#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "warpwise/emulator/checks.hpp"

namespace warpwise::cli {

/// Adds "--check LIST" to a subcommand, for the emulator's checks. \param help  text before the
/// list of checks
void add_checks(CLI::App& app, const std::string& help, emulator::Checks& checks);

}  // namespace warpwise::cli
