#pragma once

#include <imgui/imgui.h>

#include <vector>

namespace warpwise::viewer {

/// Keys that went down and up again before a frame was drawn, as they do where frames take long.
/// Dear ImGui before 1.87 sees only which keys are down when it draws, and would miss them: they
/// are down for that one frame. Later ones keep what happened in between.
class ShortPresses {
 public:
  /// By its number in io.KeysDown.
  void add(int key) { keys_.push_back(key); }

#if IMGUI_VERSION_NUM < 18700
  /// Before ImGui::NewFrame().
  void begin() {
    std::erase_if(keys_, [](int key) { return ImGui::GetIO().KeysDown[key]; });
    set(true);
  }
  /// After ImGui::Render().
  void end() {
    set(false);
    keys_.clear();
  }

 private:
  void set(bool is_down) const {
    for (const int key : keys_) ImGui::GetIO().KeysDown[key] = is_down;
  }
#else
  void begin() {}
  void end() { keys_.clear(); }

 private:
#endif

  std::vector<int> keys_;
};

}  // namespace warpwise::viewer
