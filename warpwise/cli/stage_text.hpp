#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stage_option.hpp"
#include "warpwise/live/stages/stages.hpp"

// The text of a pipeline, read. No stage is made of it here: make_stages.hpp.
namespace warpwise::cli {

struct ConvertText {
  PixelFormat to;
  live::ConvertChoices choices;
};
struct SobelText {
  SobelOptions options;
};
struct ThresholdText {
  ThresholdOptions options = {.window = 0};  // until it is given
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
  std::optional<Box> box;  ///< given, where it was read
  TrackOptions options;
};

/// A stage as it was written.
struct StageText {
  std::string text;  ///< its words with a blank between them
  std::variant<ConvertText, SobelText, ThresholdText, MatchText, DisparityText, TrackText> what;
  std::string rung;  ///< of the primitive's ladder, in the place of the library's kernel; or empty
};

/// The stages of "ycbcr32 | sobel | threshold window=31 invert": each a name and its options, which
/// are those of the subcommand of that name without their dashes; of a format's name those of
/// convert; and rung=NAME. An empty text has none.
/// \throws UsageError  an unknown stage, option or value; the message names the stage.
std::vector<StageText> read_stages(std::string_view text);

/// The options of the stage of that name, which the window shows, without rung=; none of a name
/// that no stage has.
std::vector<live::StageOption> options_of_stage(std::string_view name);

/// What --help and messages say of the stages that there are.
std::string list_of_stages();

}  // namespace warpwise::cli
