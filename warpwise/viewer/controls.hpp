#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/live/stage_option.hpp"

namespace warpwise::viewer {

/// Controls for the options of stages, drawn by Dear ImGui.
class Controls {
 public:
  /// For each option of a stage a slider, a list of choices, a check box or a line of text, with
  /// what the stage's words say of it, else what holds otherwise. What was changed now, as
  /// with_options() takes it: "window=33", "invert", "norm="; it need not be what the stage takes,
  /// since any number can be typed.
  std::optional<std::string> draw(const std::vector<live::StageOption>& options,
                                  const std::vector<std::string>& words);

 private:
  std::optional<std::string> draw(const live::StageOption& option,
                                  const std::vector<std::string>& words);

  std::string typed_;  // into a slider, until that is left
};

/// Of a control whose name stands at its right, for Dear ImGui.
float width_of_control();

}  // namespace warpwise::viewer
