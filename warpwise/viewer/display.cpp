#include "warpwise/viewer/display.hpp"

#include <GLFW/glfw3.h>
#include <imgui/backends/imgui_impl_glfw.h>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

#include <cmath>

#include "warpwise/base/error.hpp"

namespace warpwise::viewer {
namespace {

constexpr float font_size = 13;  // in pixels at a content scale of 1

std::string last_glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text == nullptr ? "no reason is given" : text;
}

}  // namespace

Glfw::Glfw() {
  if (glfwInit() == GLFW_TRUE) return;
  throw IoError(
      "there is no display for a window (" + last_glfw_error() +
      "); set DISPLAY (with libglfw3-wayland: WAYLAND_DISPLAY) to your desktop's display; without "
      "a desktop run it by `xvfb-run -a` with --screenshot, or use `warpwise stream`");
}

Glfw::~Glfw() { glfwTerminate(); }

WindowHandle::WindowHandle(Extent size, const std::string& title) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  window_ = glfwCreateWindow(size.width, size.height, title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    throw IoError("the display gives no window with OpenGL 3.3 (" + last_glfw_error() +
                  "); install its driver, or libgl1-mesa-dri, which needs no GPU");
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
}

WindowHandle::~WindowHandle() { glfwDestroyWindow(window_); }

Extent WindowHandle::size() const {
  Extent size;
  glfwGetWindowSize(window_, &size.width, &size.height);
  return size;
}

Extent WindowHandle::pixels() const {
  Extent size;
  glfwGetFramebufferSize(window_, &size.width, &size.height);
  return size;
}

float WindowHandle::content_scale() const {
  float scale = 1;
  glfwGetWindowContentScale(window_, &scale, nullptr);
  return scale * static_cast<float>(size().width) / static_cast<float>(pixels().width);
}

void WindowHandle::toggle_fullscreen() {
  if (glfwGetWindowMonitor(window_) != nullptr) {
    glfwSetWindowMonitor(window_, nullptr, left_, top_, windowed_.width, windowed_.height, 0);
    return;
  }
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return;
  windowed_ = size();
  glfwGetWindowPos(window_, &left_, &top_);
  const GLFWvidmode* const mode = glfwGetVideoMode(monitor);
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

// OpenGL returns the bottom row first.
std::vector<std::byte> WindowHandle::read_pixels() const {
  const Extent all = pixels();
  const auto row_bytes = 3 * static_cast<std::size_t>(all.width);
  std::vector<std::byte> rows(row_bytes * static_cast<std::size_t>(all.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  std::byte* to = rows.data();
  for (int y = all.height - 1; y >= 0; --y, to += row_bytes) {
    glReadPixels(0, y, all.width, 1, GL_RGB, GL_UNSIGNED_BYTE, to);
  }
  return rows;
}

Gui::Gui(GLFWwindow* window, float scale) {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImFontConfig font;
  font.SizePixels = std::round(font_size * scale);
  ImGui::GetIO().Fonts->AddFontDefault(&font);
  ImGui::GetStyle().ScaleAllSizes(scale);
  ImGui::GetStyle().WindowRounding = 0;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

Gui::~Gui() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

}  // namespace warpwise::viewer
