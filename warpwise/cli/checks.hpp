#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "warpwise/emulator/checks.hpp"

namespace warpwise::cli {

/// Adds the option "--check LIST" for the emulator's checks to a subcommand. \param help  text that
/// precedes the list of checks in the help
void add_checks(CLI::App& app, const std::string& help, emulator::Checks& checks);

}  // namespace warpwise::cli
