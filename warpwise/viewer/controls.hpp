#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/live/stage_option.hpp"

namespace warpwise::viewer {

/// Controls for the options of stages, drawn by Dear ImGui.
class Controls {
 public:
  /// Draws a control for each option of a stage: a slider, a list of choices, a check box or a line
  /// of text. `words` are the stage's words in words_of(). A control shows the value that they
  /// state, otherwise the default. Returns the option changed just now, in the form of
  /// with_options(): "window=33", "invert", "norm=". The stage may refuse it, because any number
  /// can be typed.
  std::optional<std::string> draw(const std::vector<live::StageOption>& options,
                                  const std::vector<std::string>& words);

 private:
  std::optional<std::string> draw(const live::StageOption& option,
                                  const std::vector<std::string>& words);

  std::string typed_;  // typed into a slider that is still active
};

/// Returns a control's width for ImGui::PushItemWidth(). It is negative: minus the space that stays
/// free at the panel's right edge, for the control's name.
float width_of_control();

}  // namespace warpwise::viewer
