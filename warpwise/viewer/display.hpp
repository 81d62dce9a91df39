#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct GLFWwindow;

// Owners of the window's display: GLFW, the window and Dear ImGui.
namespace warpwise::viewer {

struct Extent {
  int width = 0;
  int height = 0;
};

/// Keeps GLFW initialised during its lifetime. \throws IoError  there is no display.
class Glfw {
 public:
  Glfw();
  ~Glfw();
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
};

/// A window. Its OpenGL 3.3 context is current on the thread that constructs it.
class WindowHandle {
 public:
  /// \throws IoError  the display has no OpenGL 3.3.
  WindowHandle(Extent size, const std::string& title);
  ~WindowHandle();
  WindowHandle(const WindowHandle&) = delete;
  WindowHandle& operator=(const WindowHandle&) = delete;

  GLFWwindow* get() const { return window_; }

  Extent size() const;
  /// Returns the size in pixels; on a dense display it may exceed size().
  Extent pixels() const;
  /// Returns the display's scale for texts and the panel, converted to window coordinates.
  float content_scale() const;

  /// Switches between full screen and the window's place.
  void toggle_fullscreen();

  /// Reads the window's content: pixels() of rgb24, top row first.
  std::vector<std::byte> read_pixels() const;

 private:
  GLFWwindow* window_ = nullptr;
  // The window's place before full screen.
  Extent windowed_;
  int left_ = 0;
  int top_ = 0;
};

/// Dear ImGui in a window; it receives the window's events.
class Gui {
 public:
  Gui(GLFWwindow* window, float scale);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;
};

}  // namespace warpwise::viewer
