#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stage_option.hpp"
#include "warpwise/live/stages/stages.hpp"

// Options shared by a subcommand and the stage of the same name. Each is stated once, for the
// command line, for a pipeline's text, and for the window's controls.
namespace warpwise::cli {

/// Options and the variables that they set. The variables must stay valid as long as options are
/// read. An option that is not given leaves its variable unchanged.
class StageOptions {
 public:
  /// Parses a value's text, or throws UsageError with a message that calls the option `name`.
  using Set = std::function<void(const std::string& name, const std::string& text)>;

  void add(live::StageOption option, Set set);

  /// Adds the options as --NAME VALUE to a subcommand. The variables must outlive `app`.
  void add_to(CLI::App& app) const;

  /// Reads "window=31", "invert". Some options override others, whatever the order of the words.
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

/// Returns the options window, offset, method, max, invert. window has no default: a 0 that stays 0
/// means that no window was given. `has_maximum` becomes true if max is given.
StageOptions threshold_options(ThresholdOptions& options, bool& has_maximum);

/// Returns the options block-size, stride, search…, measure, border, max-motion.
StageOptions match_options(MatchOptions& options, std::optional<float>& max_motion);

/// Returns the options block-size, max-disparity, measure, subpixel, consistency.
StageOptions disparity_options(DisparityOptions& options);

/// Returns the options box, search…, measure, min-score, update. box has no default.
StageOptions track_options(std::optional<Box>& box, TrackOptions& options);

/// Adds the option measure, for stages that compare blocks of pixels.
void add_measure(StageOptions& options, Measure& measure);

/// Adds the options measure and min-score of find and track. The default of measure is zncc.
void add_found(StageOptions& options, Measure& measure, std::optional<double>& min_score);

/// Returns the least score with which a position counts as the template: `given`, or a calibrated
/// value for zncc; none for the other measures.
/// \throws UsageError  a score is given for sad or ssd
std::optional<double> least_score(Measure measure, std::optional<double> given);

/// Adds an option whose text is stored unchanged.
void add_text(StageOptions& options, const std::string& name, const std::string& help,
              const std::string& form, std::string& value);

}  // namespace warpwise::cli
