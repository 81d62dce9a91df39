#pragma once

#include <CLI/CLI.hpp>

#include "warpwise/live/source.hpp"

namespace warpwise::cli {

/// Adds --page, --luma, --no-autorotate, --track, --deinterlace and --rescale.
void add_reading_options(CLI::App& app, live::SourceOptions& options);

/// Adds --decode, with the default auto.
void add_decode_option(CLI::App& app, live::SourceOptions& options);

/// Returns the options with which sources are opened: if the CPU computes, it also decodes.
/// \throws UsageError  a GPU is to decode, and the CPU computes
live::SourceOptions options_to_open(const live::SourceOptions& options, bool is_gpu);

/// Adds --timeout and --reconnect.
void add_network_options(CLI::App& app, live::SourceOptions& options);

/// Adds the reading and network options above. Adds --format, --size and --fps for properties that
/// a source's name does not state. Adds --matrix, --range and --siting, which win over the source's
/// tags. `options` must live as long as `app`.
void add_source_options(CLI::App& app, live::SourceOptions& options);

}  // namespace warpwise::cli
