#pragma once

#include <CLI/CLI.hpp>

#include "warpwise/live/source.hpp"

namespace warpwise::cli {

/// Adds --format, --size, --fps, --matrix, --range and --siting: properties that a source's name
/// does not state. The colours override the source's tags. `options` must outlive `app`.
void add_source_options(CLI::App& app, live::SourceOptions& options);

}  // namespace warpwise::cli
