#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stage_option.hpp"
#include "warpwise/live/stages/stages.hpp"

// The options that a subcommand and the stage of a stream of the same name share, stated once: for
// the command line, for the text of a pipeline, and for the controls of the window.
namespace warpwise::cli {

/// Options and what they set, which must live as long as they are read, and stays as it is where an
/// option is not given.
class StageOptions {
 public:
  /// Takes a value's text, or refuses it with UsageError, whose message calls the option `name`.
  using Set = std::function<void(const std::string& name, const std::string& text)>;

  void add(live::StageOption option, Set set);

  /// As --NAME VALUE of a subcommand. What is bound must live as long as `app`.
  void add_to(CLI::App& app) const;

  /// "window=31", "invert"; where one option overrules another, it does wherever it stands.
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

/// matrix, from-range, to-range, convention, chroma
StageOptions convert_options(live::ConvertChoices& choices);

/// output, norm, kernel, border
StageOptions sobel_options(SobelOptions& options);

/// window, which has no default (0 before tells whether it was given), offset, method, max, invert
StageOptions threshold_options(ThresholdOptions& options);

/// block, stride, search…, measure, border, max-motion
StageOptions match_options(MatchOptions& options, std::optional<float>& max_motion);

/// block, max-disparity, measure, subpixel, check
StageOptions disparity_options(DisparityOptions& options);

/// box, which has no default, search…, measure, update
StageOptions track_options(std::optional<Box>& box, TrackOptions& options);

/// measure, as all that compare blocks of pixels have it
void add_measure(StageOptions& options, Measure& measure);

/// A text that is kept as it is.
void add_text(StageOptions& options, const std::string& name, const std::string& help,
              const std::string& form, std::string& value);

}  // namespace warpwise::cli
