#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stage_option.hpp"
#include "warpwise/live/stages/stages.hpp"

// Options that a subcommand shares with the stage of the same name. Each option is defined once for
// the command line, the text of a pipeline, and the controls of the window.
namespace warpwise::cli {

/// Options, and the variables that they set. The variables must stay valid as long as options are
/// read. If an option is not given, its variable is not changed.
class StageOptions {
 public:
  /// Parses a value's text and sets the variable. A UsageError's message calls the option `name`.
  using Set = std::function<void(const std::string& name, const std::string& text)>;

  void add(live::StageOption option, Set set);

  /// Adds each option to a subcommand as --NAME VALUE. The variables must outlive `app`.
  void add_to(CLI::App& app) const;

  /// Reads words such as "window=31" and "invert". Some options override others, whatever the order
  /// of the words.
  /// \throws UsageError
  void read(const std::vector<std::string>& words) const;

  std::vector<live::StageOption> list() const;

 private:
  struct Bound {
    live::StageOption option;
    Set set;
  };
  const Bound& named(const std::string& name) const;

  std::vector<Bound> options_;
};

/// Returns the options matrix, from-range, to-range, convention, chroma.
StageOptions convert_options(live::ConvertChoices& choices);

/// Returns the options output, norm, kernel, border.
StageOptions sobel_options(SobelOptions& options);

/// Returns the options window, offset, method, max, invert. window has no default: if it is not
/// given, options.window stays 0. `has_maximum` becomes true if max is given.
StageOptions threshold_options(ThresholdOptions& options, bool& has_maximum);

/// Returns the options block-size, stride, search…, measure, border, max-motion.
StageOptions match_options(MatchOptions& options, std::optional<float>& max_motion);

/// Returns the options block-size, max-disparity, measure, subpixel, consistency.
StageOptions disparity_options(DisparityOptions& options);

/// Returns the options box, search…, measure, min-score, update. box has no default.
StageOptions track_options(std::optional<Box>& box, TrackOptions& options);

/// Adds the option measure, for stages that compare blocks of pixels.
void add_measure(StageOptions& options, Measure& measure);

/// Adds the options measure and min-score of find and track. The default measure is zncc.
void add_score_options(StageOptions& options, Measure& measure, std::optional<double>& min_score);

/// Returns the least score at which a position counts as a match of the template: `given` or, for
/// zncc, a measured default. Returns none for other measures without a given score.
/// \throws UsageError  a score is given for sad or ssd
std::optional<double> least_score(Measure measure, std::optional<double> given);

/// Adds an option whose text is stored as it is.
void add_text(StageOptions& options, const std::string& name, const std::string& help,
              const std::string& form, std::string& value);

}  // namespace warpwise::cli
