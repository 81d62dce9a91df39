#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "warpwise/emulator/checks.hpp"

namespace warpwise::cli {

/// Adds "--check LIST" to a subcommand: the errors that the emulator looks for. \param help  the
/// text before the list of checks
void add_checks(CLI::App& app, const std::string& help, emulator::Checks& checks);

}  // namespace warpwise::cli
