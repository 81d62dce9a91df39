#include "warpwise/viewer/clip_controls.hpp"

#include <fmt/format.h>
#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <utility>

#include "warpwise/viewer/panel.hpp"
#include "warpwise/viewer/save.hpp"

namespace warpwise::viewer {

void ClipControls::toggle(const Shown& shown) {
  if (clip_->state().is_recording) {
    clip_->stop();
  } else if (shown.number > 0) {
    // Uses a typed name only once, because the next clip would replace the first clip's file.
    const std::string typed = std::exchange(name_, {});
    clip_->start(typed.empty() ? unused_file_name(".mp4") : typed, shown.computation);
  }
}

bool ClipControls::draw() {
  const Clip::State clip = clip_->state();
  bool is_pressed = false;
  if (clip.is_recording) {
    is_pressed = ImGui::Button("end");
  } else {
    is_pressed = ImGui::Button("start");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##clip", "warpwise-001.mp4, .mkv, .mov", &name_);
  }
  if (!clip.error.empty()) {
    write_error(clip.error);
  } else if (!clip.path.empty()) {
    write(text_of(clip));
  }
  return is_pressed;
}

std::string text_of(const Clip::State& clip) {
  if (!clip.error.empty() || clip.path.empty()) return clip.error;
  if (clip.is_recording) return fmt::format("recording {}: {} frames", clip.path, clip.frames);
  if (clip.frames == 0) return fmt::format("{}: no frame came, nothing was written", clip.path);
  return fmt::format("{}: {} frames", clip.path, clip.frames);
}

}  // namespace warpwise::viewer
