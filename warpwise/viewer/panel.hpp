#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/viewer/clip_controls.hpp"
#include "warpwise/viewer/controls.hpp"
#include "warpwise/viewer/player.hpp"

namespace warpwise::viewer {

/// The panel beside the picture, drawn by Dear ImGui. It shows the source, the pipeline's editable
/// text, controls for its stages' options, and the clip. Below are the frame rate, each step's
/// time, and the result's histogram.
class Panel {
 public:
  /// `way` is Sharing::text(). `options` give the first pipeline, its stages' options, and the
  /// rungs that may replace the stages' kernels. `replace` is called with each new pipeline text.
  /// If it throws, the message is shown below the changed control or text.
  Panel(const live::Source& source, const std::string& way, const ViewOptions& options,
        std::shared_ptr<Clip> clip, std::function<void(const std::string&)> replace);

  /// Moves the keyboard focus to the pipeline's text.
  void edit_pipeline() { is_edit_asked_ = true; }

  /// Sets the frame that is shown from now on.
  void show_frame(const Shown& shown);

  /// Starts a clip of the shown pipeline, or ends it.
  void toggle_clip() { clip_.toggle(shown_); }

  /// Draws the panel at that place, in window coordinates.
  void draw(const Player::State& state, View view, float left, float width, float height);

 private:
  void add_time();
  void draw_source(const Player::State& state, View view) const;
  void draw_rate() const;
  void draw_steps() const;
  void draw_histogram();
  void draw_pipeline();
  void draw_outcome(std::optional<std::size_t> stage) const;
  void draw_stages();
  void draw_rungs_of(std::size_t stage);
  void draw_clip();
  void note_stages(const std::string& pipeline);

  /// A pipeline entered as text or through a stage's controls.
  struct Entered {
    std::string pipeline;
    std::optional<std::size_t> stage;
  };
  void enter(Entered entered);
  void take_entered();

  std::string source_;
  std::string pipeline_;
  bool is_edit_asked_ = false;
  Entered entered_;          // the last pipeline entered
  bool is_waiting_ = false;  // true between enter() and take_entered()
  std::string error_;        // why `entered_` was refused
  std::function<void(const std::string&)> replace_;
  OptionsOfStage options_of_;
  Rungs rungs_;
  std::string taken_;  // the pipeline in use
  struct Stage {
    std::vector<std::string> words;
    std::vector<live::StageOption> options;
    StageRungs rungs;
  };
  std::vector<Stage> stages_;  // stages of taken_
  Controls controls_;
  ClipControls clip_;
  std::optional<double> copy_roof_gb_per_s_;
  Shown shown_;
  std::array<float, 256> histogram_{};
  bool is_counted_ = false;  // true if the histogram is that of the shown frame
  // Milliseconds between the latest frames; a ring buffer.
  std::array<float, 120> times_{};
  std::size_t frames_ = 0;
  bool was_paused_ = false;  // true after a pause since the last frame
  std::chrono::steady_clock::time_point last_;
};

/// Writes a text into the window's panel, on as many lines as it needs.
void write(const std::string& text);
/// Writes a text in red.
void write_error(const std::string& text);

/// Lists the keys over the middle of the picture, which lies at the window's left.
void draw_help(float picture_width, float picture_height);

/// Writes a text over the picture's bottom-left corner, no wider than the picture.
void draw_note(const std::string& text, float picture_width, float picture_height);

}  // namespace warpwise::viewer
