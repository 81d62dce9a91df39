#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stage_option.hpp"
#include "warpwise/live/stages/stages.hpp"

// Parses the text of a pipeline. make_stages() makes the stages from it.
namespace warpwise::cli {

struct ConvertText {
  PixelFormat to;
  live::ConvertChoices choices;
};
struct DeepText {
  live::DeepTarget to;
  live::ConvertChoices choices;
};
struct SobelText {
  SobelOptions options;
};
struct ThresholdText {
  ThresholdOptions options = {.window = 0};  // 0 if no window is given
  bool has_maximum = false;                  // true if max is given, even with its default
};
struct MatchText {
  MatchOptions options;
  std::optional<float> max_motion;
  std::string flo_folder;
};
struct DisparityText {
  DisparityOptions options;
};
struct TrackText {
  std::optional<Box> box;  ///< always set by read_stages()
  TrackOptions options;
};

/// A parsed stage.
struct StageText {
  std::string text;  ///< words of the stage, with one blank between them
  std::variant<ConvertText, DeepText, SobelText, ThresholdText, MatchText, DisparityText, TrackText>
      what;
  std::string rung;  ///< rung (optimisation step) whose kernel replaces the library's; empty: none
};

/// Parses the stages of a text such as "ycbcr32 | sobel | threshold window=31 invert". A stage is a
/// name and options: those of the subcommand with that name, without dashes, and rung=NAME. If the
/// name is a pixel format, the options are those of convert. An empty text has no stages.
/// \throws UsageError  a stage, option or value is not known; the message names the stage.
std::vector<StageText> read_stages(std::string_view text);

/// Returns a stage's options for the window's controls: all except rung=. An unknown name has none.
std::vector<live::StageOption> options_of_stage(std::string_view name);

/// Lists all stages, for --help and for messages.
std::string list_of_stages();

}  // namespace warpwise::cli
