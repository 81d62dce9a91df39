// The module libwarpwise_viewer.so: a window by GLFW, OpenGL and Dear ImGui.

#include <GLFW/glfw3.h>
#include <imgui/backends/imgui_impl_glfw.h>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/viewer/display.hpp"
#include "warpwise/viewer/painter.hpp"
#include "warpwise/viewer/panel.hpp"
#include "warpwise/viewer/player.hpp"
#include "warpwise/viewer/save.hpp"
#include "warpwise/viewer/sharing.hpp"
#include "warpwise/viewer/short_presses.hpp"

namespace warpwise::viewer {
namespace {

using Clock = std::chrono::steady_clock;

// Sizes in pixels at a content scale of 1.
constexpr float panel_width = 320;
constexpr float least_height = 480;

constexpr auto note_time = std::chrono::seconds(3);
// The window is redrawn after this many seconds even without events, for notes that disappear and a
// blinking text cursor.
constexpr double draw_every = 0.1;

// Returns the window's first size: the picture in actual pixels with the panel, or the size of a
// smaller screen.
Extent first_size(const Computation& computation, View view) {
  const io::PictureShape& original = computation.original();
  const io::PictureShape& result = computation.result();
  std::int64_t width = view == View::result ? result.width : original.width;
  std::int64_t height = view == View::result ? result.height : original.height;
  if (view == View::both) {
    width = 2 * std::max(original.width, result.width);
    height = std::max(original.height, result.height);
  }
  Extent screen{1280, 720};
  float scale = 1;
  if (GLFWmonitor* const monitor = glfwGetPrimaryMonitor()) {
    glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &screen.width, &screen.height);
    glfwGetMonitorContentScale(monitor, &scale, nullptr);
  }
  width += std::lround(panel_width * scale);
  height = std::max<std::int64_t>(height, std::lround(least_height * scale));
  return {static_cast<int>(std::min<std::int64_t>(width, screen.width)),
          static_cast<int>(std::min<std::int64_t>(height, screen.height))};
}

// Centres a picture in `area` on whole pixels, at its actual size or as large as fits.
Rectangle placed(const io::PictureShape& shape, const Rectangle& area, bool actual_pixels) {
  const auto width = static_cast<float>(shape.width);
  const auto height = static_cast<float>(shape.height);
  const float scale = actual_pixels ? 1 : std::min(area.width / width, area.height / height);
  const Rectangle size{0, 0, std::max(1.0F, std::round(width * scale)),
                       std::max(1.0F, std::round(height * scale))};
  return {std::floor(area.left + (area.width - size.width) / 2),
          std::floor(area.top + (area.height - size.height) / 2), size.width, size.height};
}

class Window {
 public:
  Window(const std::shared_ptr<live::Source>& source, const ViewOptions& options,
         const std::shared_ptr<Computation>& computation)
      : options_(options), view_(options.view), stream_(source->stream()),
        no_source_(why_source_not_on_gpu(*source, options)),
        handle_(first_size(*computation, view_), source->name() + " - warpwise"), callbacks_(this),
        gui_(handle_.get(), handle_.content_scale()), sharing_(*source, no_source_, options),
        clip_(std::make_shared<Clip>(options.source, options.threads)),
        panel_(*source, sharing_.text(), options, clip_,
               [this](const std::string& text) { replace(text); }),
        player_(std::make_shared<Player>(source, reserved(computation), clip_, options.frames,
                                         [] { glfwPostEmptyEvent(); })),
        thread_(player_) {}
  // Stops the clip here, because the player may outlive the window and does not stop it.
  ~Window() { clip_->stop(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void run() {
    while (glfwWindowShouldClose(handle_.get()) == GLFW_FALSE) {
      glfwWaitEventsTimeout(draw_every);
      // Reads the state before take_newest(), so that the last frame is taken.
      const Player::State state = player_->state();
      take_newest();
      draw(state);
      if (is_over(state)) {
        end(state);
        break;
      }
      glfwSwapBuffers(handle_.get());
    }
    end_clip();
    if (const auto failure = player_->state().failure) std::rethrow_exception(failure);
  }

 private:
  // Callbacks for GLFW. ImGui installs its callbacks later, and passes every event on to these.
  struct Callbacks {
    explicit Callbacks(Window* window) {
      GLFWwindow* const handle = window->handle_.get();
      glfwSetWindowUserPointer(handle, window);
      glfwSetCharCallback(handle, [](GLFWwindow* of, unsigned letter) { get(of).type(letter); });
      glfwSetKeyCallback(handle, [](GLFWwindow* of, int key, int, int action, int) {
        if (action != GLFW_RELEASE) get(of).press(key);
      });
      glfwSetCursorPosCallback(handle, [](GLFWwindow* of, double x, double) { get(of).move(x); });
    }
    static Window& get(GLFWwindow* handle) {
      return *static_cast<Window*>(glfwGetWindowUserPointer(handle));
    }
  };

  // Handles a letter of the user's keyboard layout.
  void type(unsigned letter) {
    if (ImGui::GetIO().WantTextInput) return;
    switch (letter) {
      case ' ': player_->toggle_pause(); break;
      case 'v': view_ = all_views[(static_cast<std::size_t>(view_) + 1) % all_views.size()]; break;
      case '1': shows_actual_pixels_ = !shows_actual_pixels_; break;
      case 's': save(); break;
      case 'c': toggle_clip(); break;
      case 'e': edit_pipeline(); break;
      case 'f': handle_.toggle_fullscreen(); break;
      case 'p': shows_panel_ = !shows_panel_; break;
      case 'h': shows_help_ = !shows_help_; break;
      case 'q': glfwSetWindowShouldClose(handle_.get(), GLFW_TRUE); break;
      default: break;
    }
  }

  void press(int key) {
    // Adds Escape, Enter, Tab, Backspace, arrows and others; type() handles letters.
    if (key >= GLFW_KEY_ESCAPE && key <= GLFW_KEY_END) presses_.add(key);
    if (ImGui::GetIO().WantTextInput) return;
    if (key == GLFW_KEY_RIGHT) player_->step();
    if (key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(handle_.get(), GLFW_TRUE);
  }

  // For a screenshot, the line of View::wipe stays in the middle, wherever the mouse is.
  void move(double x) {
    if (options_.screenshot.empty()) mouse_ = x;
  }

  void edit_pipeline() {
    shows_panel_ = true;
    panel_.edit_pipeline();
  }

  // Allocates the computation's memory. This needs an open window, which limits the size of
  // textures and decides which frames are shared with CUDA.
  std::shared_ptr<Computation> reserved(std::shared_ptr<Computation> computation) const {
    Texture::require_size(computation->original());
    Texture::require_size(computation->result());
    computation->reserve(options_, sharing_.on_gpu());
    return computation;
  }

  void replace(const std::string& pipeline) {
    player_->replace(reserved(std::make_shared<Computation>(options_.parse(pipeline), stream_)));
  }

  void save() {
    if (shown_.number == 0) return;
    try {
      const std::string name = unused_file_name(".png");
      write_png(name, shown_.computation->result(), shown_.frame->result().result());
      say("saved " + name);
    } catch (const std::exception& error) {
      say(error.what());
    }
  }

  void toggle_clip() {
    told_clip_.error.clear();  // so that the same error is shown again
    panel_.toggle_clip();
  }

  // Ends the clip and throws its error, because no window is left to show it.
  void end_clip() {
    if (!clip_->state().is_recording) return;
    clip_->stop();
    const Clip::State ended = clip_->state();
    if (!ended.error.empty()) throw IoError(ended.error);
  }

  // Writes the clip's progress or error over the picture. During a recording, other notes come
  // first. The outcome is written only if the panel, which also states it, is hidden.
  void say_of_clip() {
    const Clip::State now = clip_->state();
    const bool is_over = told_clip_.is_recording && !now.is_recording;
    const bool is_refused = !now.error.empty() && now.error != told_clip_.error;
    if ((is_over || is_refused) && !shows_panel_) say(text_of(now));
    if (now.is_recording && Clock::now() >= note_ends_) note_ = text_of(now);
    told_clip_ = now;
  }

  void say(std::string text) {
    note_ = std::move(text);
    note_ends_ = Clock::now() + note_time;
  }

  void take_newest() {
    const Shown newest = player_->newest();
    const bool is_new = newest.number != shown_.number || newest.computation != shown_.computation;
    shown_ = newest;
    if (!is_new) return;
    take(original_, shown_.computation->original(), shown_.frame->original());
    take(result_, shown_.computation->result(), shown_.frame->result());
    panel_.show_frame(shown_);
  }

  // Copies a lane's result to the texture. Waits for a copy on the GPU, because the frame's memory
  // may change after the next call of newest().
  void take(Texture& texture, const io::PictureShape& shape, const live::Lane& lane) {
    const std::byte* const on_gpu = lane.result_on_gpu();
    if (on_gpu == nullptr) return texture.set(shape, lane.result());
    if (!copies_) copies_.emplace();
    texture.set(shape, on_gpu, *copies_);
    copies_->synchronize();
  }

  void draw(const Player::State& state) {
    const Extent pixels = handle_.pixels();
    if (pixels.width == 0 || pixels.height == 0) return;  // minimised
    glViewport(0, 0, pixels.width, pixels.height);
    glClearColor(0.1F, 0.1F, 0.1F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (shown_.number > 0) draw_pictures(pixels);
    draw_gui(state);
  }

  // Width in window coordinates.
  float width_of_panel() const {
    return shows_panel_ ? std::round(panel_width * handle_.content_scale()) : 0;
  }

  void draw_pictures(Extent pixels) {
    const float ratio = static_cast<float>(pixels.width) / static_cast<float>(handle_.size().width);
    const Rectangle area{
        0, 0, std::max(1.0F, static_cast<float>(pixels.width) - width_of_panel() * ratio),
        static_cast<float>(pixels.height)};
    using Content = Painter::Content;
    switch (view_) {
      case View::result: draw_picture(Content::result, area, ratio); break;
      case View::wipe: draw_picture(Content::wipe, area, ratio); break;
      case View::difference: draw_picture(Content::difference, area, ratio); break;
      case View::both: {
        const float half = std::floor(area.width / 2);
        draw_picture(Content::original, {0, 0, half, area.height}, ratio);
        draw_picture(Content::result, {half, 0, half, area.height}, ratio);
      }
    }
  }

  // Draws a picture, cut off at the edges of its area.
  void draw_picture(Painter::Content content, const Rectangle& area, float ratio) {
    const bool is_result = content == Painter::Content::result;
    const Rectangle where =
        placed((is_result ? result_ : original_).shape(), area, shows_actual_pixels_);
    const float line =
        mouse_ ? (static_cast<float>(*mouse_) * ratio - where.left) / where.width : 0.5F;
    const Extent pixels = handle_.pixels();
    glEnable(GL_SCISSOR_TEST);
    glScissor(static_cast<int>(area.left), 0, static_cast<int>(area.width), pixels.height);
    painter_.draw(original_, result_, content, line, where, static_cast<float>(pixels.width),
                  static_cast<float>(pixels.height));
    glDisable(GL_SCISSOR_TEST);
  }

  void draw_gui(const Player::State& state) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    presses_.begin();
    ImGui::NewFrame();
    const Extent size = handle_.size();
    const auto width = static_cast<float>(size.width);
    const auto height = static_cast<float>(size.height);
    if (shows_panel_) {
      panel_.draw(state, view_, width - width_of_panel(), width_of_panel(), height);
    }
    if (shows_help_) draw_help(width - width_of_panel(), height);
    say_of_clip();
    if (Clock::now() < note_ends_ || told_clip_.is_recording)
      draw_note(note_, width - width_of_panel(), height);
    ImGui::Render();
    presses_.end();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }

  bool is_over(const Player::State& state) const {
    if (!state.has_ended) return false;
    return !options_.screenshot.empty() || (options_.frames && state.read >= *options_.frames);
  }

  void end(const Player::State& state) {
    if (state.failure) std::rethrow_exception(state.failure);
    if (options_.screenshot.empty()) return;
    if (shown_.number == 0) throw IoError("the source has no frame for " + options_.screenshot);
    draw(state);  // second draw: ImGui knows some sizes only after the first
    const Extent pixels = handle_.pixels();
    write_png(options_.screenshot,
              io::PictureShape::of(PixelFormat::rgb24, pixels.width, pixels.height),
              handle_.read_pixels());
  }

  const ViewOptions& options_;
  View view_;
  const live::Stream stream_;
  const std::string no_source_;
  Glfw glfw_;
  WindowHandle handle_;
  Callbacks callbacks_;
  Gui gui_;
  Sharing sharing_;
  std::optional<gpu::Stream> copies_;
  Painter painter_;
  Texture original_;
  Texture result_;
  std::shared_ptr<Clip> clip_;
  Panel panel_;
  std::shared_ptr<Player> player_;
  PlayerThread thread_;

  Shown shown_;
  std::optional<double> mouse_;  // x in window coordinates
  ShortPresses presses_;
  bool shows_actual_pixels_ = false;
  bool shows_panel_ = true;
  bool shows_help_ = false;
  Clip::State told_clip_;  // the clip's state at the last draw
  std::string note_;
  Clock::time_point note_ends_;
};

}  // namespace
}  // namespace warpwise::viewer

extern "C" __attribute__((visibility("default"))) void warpwise_viewer_module_4(
    std::shared_ptr<warpwise::live::Source> source, const warpwise::viewer::ViewOptions& options) {
  using namespace warpwise::viewer;
  const auto first =
      std::make_shared<Computation>(options.parse(options.pipeline), source->stream());
  Window(source, options, first).run();
}
