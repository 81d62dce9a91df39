#pragma once

#include <memory>
#include <string>

#include "warpwise/viewer/clip.hpp"
#include "warpwise/viewer/player.hpp"

namespace warpwise::viewer {

/// The panel's controls for a clip: name, button and progress.
class ClipControls {
 public:
  explicit ClipControls(std::shared_ptr<Clip> clip) : clip_(std::move(clip)) {}

  /// Starts a clip of the shown pipeline, or ends the current one. Without a typed name it takes
  /// the first unused name of warpwise-001.mp4, …
  void toggle(const Shown& shown);

  /// Draws the controls with Dear ImGui. Returns true if the button was pressed.
  bool draw();

 private:
  std::shared_ptr<Clip> clip_;
  std::string name_;  // for the next clip
};

/// Describes a clip that is recorded, ended or refused, in one line; empty without a clip.
std::string text_of(const Clip::State& clip);

}  // namespace warpwise::viewer
