#pragma once

#include <imgui/imgui.h>

#include <vector>

namespace warpwise::viewer {

/// Keeps keys that were pressed and released between two drawn frames, as happens with slow frames.
/// Dear ImGui before 1.87 sees only the keys that are down when it draws. These keys are therefore
/// reported down for one frame. Later versions queue events themselves.
class ShortPresses {
 public:
  /// Adds a key by its index in io.KeysDown.
  void add(int key) { keys_.push_back(key); }

#if IMGUI_VERSION_NUM < 18700
  /// Call before ImGui::NewFrame().
  void begin() {
    std::erase_if(keys_, [](int key) { return ImGui::GetIO().KeysDown[key]; });
    set(true);
  }
  /// Call after ImGui::Render().
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
