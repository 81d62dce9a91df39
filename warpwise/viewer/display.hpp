#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct GLFWwindow;

// The display's part of the window: what GLFW and Dear ImGui need from their start to their end.
namespace warpwise::viewer {

struct Extent {
  int width = 0;
  int height = 0;
};

/// GLFW, as long as one lives. \throws IoError  there is no display.
class Glfw {
 public:
  Glfw();
  ~Glfw();
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
};

/// A window, whose OpenGL 3.3 is current on the thread that makes it.
class WindowHandle {
 public:
  /// \throws IoError  the display has no OpenGL 3.3.
  WindowHandle(Extent size, const std::string& title);
  ~WindowHandle();
  WindowHandle(const WindowHandle&) = delete;
  WindowHandle& operator=(const WindowHandle&) = delete;

  GLFWwindow* get() const { return window_; }

  Extent size() const;
  /// In pixels; where a display is dense these may be more than size() says.
  Extent pixels() const;
  /// How many times larger texts and the panel are, in window coordinates.
  float content_scale() const;

  /// To the size of the screen, and back to its place.
  void toggle_fullscreen();

  /// What was drawn, pixels() of rgb24 from the top row on.
  std::vector<std::byte> drawn() const;

 private:
  GLFWwindow* window_ = nullptr;
  // Its place before it filled the screen.
  Extent windowed_;
  int left_ = 0;
  int top_ = 0;
};

/// Dear ImGui in a window, which gets that window's events.
class Gui {
 public:
  Gui(GLFWwindow* window, float scale);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;
};

}  // namespace warpwise::viewer
