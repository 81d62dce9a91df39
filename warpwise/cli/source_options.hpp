#pragma once

#include <CLI/CLI.hpp>

#include "warpwise/live/source.hpp"

namespace warpwise::cli {

/// --format, --size, --fps, --matrix, --range, --siting: what a source's name leaves open, and what
/// goes before what it says of its colours. `options` lives as long as `app`.
void add_source_options(CLI::App& app, live::SourceOptions& options);

}  // namespace warpwise::cli
