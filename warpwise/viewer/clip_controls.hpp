#pragma once

#include <memory>
#include <string>

#include "warpwise/viewer/clip.hpp"
#include "warpwise/viewer/player.hpp"

namespace warpwise::viewer {

/// What the user has of a clip: its name, a button, and how far it is.
class ClipControls {
 public:
  explicit ClipControls(std::shared_ptr<Clip> clip) : clip_(std::move(clip)) {}

  /// Starts a clip of what is shown, by the name that was typed, else the first of
  /// warpwise-001.mp4, … that is not there; or ends it.
  void toggle(const Shown& shown);

  /// By Dear ImGui; whether the button was pressed.
  bool draw();

 private:
  std::shared_ptr<Clip> clip_;
  std::string name_;  // of the next clip
};

/// A clip in one line, be it recorded, ended or refused; empty where there was none.
std::string text_of(const Clip::State& clip);

}  // namespace warpwise::viewer
