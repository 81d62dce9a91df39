#pragma once

#include <CLI/CLI.hpp>

#include "warpwise/live/source.hpp"

namespace warpwise::cli {

/// Adds the options --page, --luma, --no-autorotate, --track, --deinterlace and --rescale.
void add_reading_options(CLI::App& app, live::SourceOptions& options);

/// Adds the option --decode, whose default is auto.
void add_decode_option(CLI::App& app, live::SourceOptions& options);

/// Returns the options to open sources with. If the CPU computes, it also decodes.
/// \throws UsageError  the GPU is to decode although the CPU computes
live::SourceOptions options_to_open(const live::SourceOptions& options, bool is_gpu);

/// Adds the options --timeout and --reconnect.
void add_network_options(CLI::App& app, live::SourceOptions& options);

/// Adds the options of add_reading_options() and add_network_options(). Adds --format, --size and
/// --fps, for properties that a source's name does not state. Adds --matrix, --range and --siting,
/// which override the source's tags. `options` must live as long as `app`.
void add_source_options(CLI::App& app, live::SourceOptions& options);

}  // namespace warpwise::cli
