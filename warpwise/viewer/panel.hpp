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

/// What stands beside the picture: the source, the pipeline, which can be edited, with controls for
/// its stages' options, the clip, how fast frames come, what each step takes, and the result's
/// histogram. Drawn by Dear ImGui.
class Panel {
 public:
  /// `way` says how frames get from the source to the window, where a GPU computes; `options` say
  /// what the pipeline is at first, which options its stages have and what may run in their place;
  /// `replace` takes its new text, and what it throws is shown below the text, or the stage's
  /// controls, by which that was entered.
  Panel(const live::Source& source, const std::string& way, const ViewOptions& options,
        std::shared_ptr<Clip> clip, std::function<void(const std::string&)> replace);

  /// The next letters go into the pipeline's text.
  void edit_pipeline() { is_edit_asked_ = true; }

  /// Another frame is shown from now on.
  void add(const Shown& shown);

  /// Starts a clip of what is shown, or ends it.
  void toggle_clip() { clip_.toggle(shown_); }

  /// At that place of the window, in its coordinates.
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

  /// A pipeline that was entered as text, or by the controls of a stage.
  struct Entered {
    std::string pipeline;
    std::optional<std::size_t> stage;
  };
  void enter(Entered entered);
  void take_entered();

  std::string source_;
  std::string pipeline_;
  bool is_edit_asked_ = false;
  Entered entered_;          // the last one
  bool is_waiting_ = false;  // until it has been said that it is made ready
  std::string error_;        // of it
  std::function<void(const std::string&)> replace_;
  OptionsOfStage options_of_;
  Rungs rungs_;
  std::string taken_;  // the pipeline that is computed
  struct Stage {
    std::vector<std::string> words;
    std::vector<live::StageOption> options;
    StageRungs rungs;
  };
  std::vector<Stage> stages_;  // of it
  Controls controls_;
  ClipControls clip_;
  std::optional<double> copy_roof_gb_per_s_;
  Shown shown_;
  std::array<float, 256> histogram_{};
  bool is_counted_ = false;  // the histogram is of the frame that is shown
  // Milliseconds from a frame to the next, of the last ones; a ring.
  std::array<float, 120> times_{};
  std::size_t frames_ = 0;
  bool was_paused_ = false;  // since the last of them
  std::chrono::steady_clock::time_point last_;
};

/// A text in the window that is drawn, in as many lines as it needs.
void write(const std::string& text);
/// The same in red.
void write_error(const std::string& text);

/// Lists the keys, in the middle of the picture, which takes the window's left.
void draw_help(float picture_width, float picture_height);

/// A text over the picture's bottom-left corner, no wider than the picture.
void draw_note(const std::string& text, float picture_width, float picture_height);

}  // namespace warpwise::viewer
