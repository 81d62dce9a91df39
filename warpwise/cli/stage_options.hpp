#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stages/stages.hpp"

// The options that a subcommand and the stage of a stream of the same name share. Each function
// adds them to `app`; what is bound must live as long as it, and stays as it is where its option is
// not given. Texts that are no value of their option are refused while they are parsed, by
// UsageError.
namespace warpwise::cli {

/// --matrix, --from-range, --to-range, --convention, --chroma
void add_convert_options(CLI::App& app, live::ConvertChoices& choices);

/// --output, --norm, --kernel, --border
void add_sobel_options(CLI::App& app, SobelOptions& options);

/// --window, which has no default (0 before tells whether it was given), --offset, --method, --max,
/// --invert
void add_threshold_options(CLI::App& app, ThresholdOptions& options);

/// --block, --stride, --search…, --measure, --border, --max-motion
void add_match_options(CLI::App& app, MatchOptions& options, std::optional<float>& max_motion);

/// --block, --max-disparity, --measure, --subpixel, --check
void add_disparity_options(CLI::App& app, DisparityOptions& options);

/// --box, which has no default, --search…, --measure, --update
void add_track_options(CLI::App& app, std::optional<Box>& box, TrackOptions& options);

}  // namespace warpwise::cli
