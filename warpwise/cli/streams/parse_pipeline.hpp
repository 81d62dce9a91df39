#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stage_option.hpp"
#include "warpwise/live/stages/stages.hpp"

// Parses a pipeline's text. make_stages.hpp makes the stages.
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
  ThresholdOptions options = {.window = 0};  // 0 until it is given
  bool has_maximum = false;                  // true if max is given; false for the default
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
  std::string text;  ///< words of the stage, separated by a blank
  std::variant<ConvertText, DeepText, SobelText, ThresholdText, MatchText, DisparityText, TrackText>
      what;
  std::string rung;  ///< rung that replaces the library's kernel; empty for none
};

/// Parses the stages of "ycbcr32 | sobel | threshold window=31 invert". A stage is a name and
/// options. These are the options of the subcommand of that name, without dashes, and rung=NAME. A
/// format's name has the options of convert. An empty text has no stages.
/// \throws UsageError  an unknown stage, option or value; the message names the stage.
std::vector<StageText> read_stages(std::string_view text);

/// Returns the options of a stage for the window, without rung=; empty for an unknown name.
std::vector<live::StageOption> options_of_stage(std::string_view name);

/// Lists all stages for --help and messages.
std::string list_of_stages();

}  // namespace warpwise::cli
