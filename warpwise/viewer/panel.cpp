#include "warpwise/viewer/panel.hpp"

#include <fmt/format.h>
#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "warpwise/viewer/histogram.hpp"
#include "warpwise/viewer/stage_words.hpp"

namespace warpwise::viewer {
namespace {

constexpr ImGuiWindowFlags fixed =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
constexpr ImGuiWindowFlags note_flags =
    fixed | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs;
constexpr const char* no_rung = "the library's";
const ImVec4 red = {1.0F, 0.45F, 0.4F, 1.0F};

constexpr const char* keys =
    "space    pause\n"
    "right    one frame, then pause\n"
    "v        result, both, wipe, difference\n"
    "1        actual pixels, or all of the picture\n"
    "s        save the result as PNG\n"
    "c        start a clip of the result, or end it\n"
    "e        edit the pipeline; Enter takes it, Esc leaves it\n"
    "f        fullscreen\n"
    "p        panel\n"
    "h        help\n"
    "q, Esc   quit";

void title(const char* text) {
  ImGui::Spacing();
  ImGui::Separator();
  ImGui::TextDisabled("%s", text);
}

ImVec2 plot_size() { return {ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 5}; }

std::string text_of(std::exception_ptr failure) {
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string text_of(const Player::State& state, std::int64_t number, View view) {
  const char* const does = state.has_ended ? ", the last" : state.is_paused ? ", paused" : "";
  return fmt::format("frame {}{}; view: {}", number, does, name_of(view));
}

// Returns the step's throughput in per cent of a copy's throughput. The step's bytes are one read
// of each input and one write of each output.
std::string share_text(const live::Step& step, double milliseconds,
                       const std::optional<double>& roof_gb_per_s) {
  if (!step.stage || !roof_gb_per_s || !(milliseconds > 0)) return {};
  const auto bytes = static_cast<double>(step.from.shape.bytes() + step.to.shape.bytes());
  return fmt::format(", {:.1f} %", 1e-4 * bytes / milliseconds / *roof_gb_per_s);
}

// Returns true if the pipeline's text chooses a rung, an optimisation step of a ladder. A rung that
// is not in the cache takes seconds to compile.
bool compiles(const std::string& pipeline) { return pipeline.find(" rung=") != std::string::npos; }

}  // namespace

void write(const std::string& text) {
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
}

void write_error(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, red);
  write(text);
  ImGui::PopStyleColor();
}

Panel::Panel(const live::Source& source, const std::string& way, const ViewOptions& options,
             std::shared_ptr<Clip> clip, std::function<void(const std::string&)> replace)
    : source_(source.name() + "\n" + source.stream().text() + way), pipeline_(options.pipeline),
      replace_(std::move(replace)), options_of_(options.options_of), rungs_(options.rungs),
      clip_(std::move(clip)) {
  note_stages(pipeline_);
  if (rungs_.copy_roof_gb_per_s) copy_roof_gb_per_s_ = rungs_.copy_roof_gb_per_s();
}

void Panel::show_frame(const Shown& shown) {
  if (shown.number != shown_.number) add_time();
  shown_ = shown;
  is_counted_ = false;
}

// Stores the time since the last frame, unless there was a pause.
void Panel::add_time() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<float, std::milli> since = now - last_;
  const bool was_paused = std::exchange(was_paused_, false);
  if (shown_.number > 0 && !was_paused) times_[frames_++ % times_.size()] = since.count();
  last_ = now;
}

void Panel::draw(const Player::State& state, View view, float left, float width, float height) {
  if (is_waiting_) take_entered();
  was_paused_ |= state.is_paused;
  ImGui::SetNextWindowPos({left, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin("panel", nullptr, fixed & ~ImGuiWindowFlags_NoScrollbar);
  draw_source(state, view);
  draw_pipeline();
  draw_stages();
  draw_clip();
  draw_rate();
  draw_steps();
  draw_histogram();
  title("h: help");
  ImGui::End();
}

void Panel::draw_source(const Player::State& state, View view) const {
  write(source_);
  write(text_of(state, shown_.number, view));
  if (state.failure) write_error(text_of(state.failure));
}

void Panel::draw_rate() const {
  const auto count = static_cast<int>(std::min(frames_, times_.size()));
  const float sum = std::accumulate(times_.begin(), times_.begin() + count, 0.0F);
  const float most = *std::max_element(times_.begin(), times_.end());
  title("milliseconds from frame to frame");
  if (count > 0) {
    write(fmt::format("{:.1f} frames a second, at most {:.1f} ms", 1000.0F * count / sum, most));
  }
  const auto oldest = frames_ > times_.size() ? static_cast<int>(frames_ % times_.size()) : 0;
  ImGui::PlotLines("##times", times_.data(), count, oldest, nullptr, 0, most, plot_size());
}

void Panel::draw_steps() const {
  title(copy_roof_gb_per_s_ ? "milliseconds of each step, % of copy roof"
                            : "milliseconds of each step");
  if (!shown_.computation) return;
  const std::vector<live::Step>& steps = shown_.computation->pipeline().steps();
  const std::vector<double> took = shown_.frame->milliseconds();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string name = steps[i].stage ? steps[i].stage->text() : "luma";
    write(fmt::format("{:8.3f}  {}{}{}", took[i], name, steps[i].is_inserted ? " (inserted)" : "",
                      share_text(steps[i], took[i], copy_roof_gb_per_s_)));
  }
  if (steps.empty()) write("no steps: the window shows the source's frames");
}

// Computes the counts only when the histogram is drawn, because a result on a GPU has to be copied
// back for them.
void Panel::draw_histogram() {
  if (!is_counted_ && shown_.frame != nullptr) {
    const auto counts = histogram_of(shown_.computation->result(), shown_.frame->result().result());
    std::copy(counts.begin(), counts.end(), histogram_.begin());
    is_counted_ = true;
  }
  title("luma of the result, 0 to 255");
  ImGui::PlotHistogram("##luma", histogram_.data(), static_cast<int>(histogram_.size()), 0, nullptr,
                       0, *std::max_element(histogram_.begin(), histogram_.end()), plot_size());
}

void Panel::draw_pipeline() {
  title("pipeline (e: edit, Enter: take it)");
  ImGui::SetNextItemWidth(-1);
  if (std::exchange(is_edit_asked_, false)) ImGui::SetKeyboardFocusHere();
  if (ImGui::InputText("##pipeline", &pipeline_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    enter({pipeline_, std::nullopt});
  }
  draw_outcome(std::nullopt);
}

// Stores the pipeline until the next frame. A rung may take seconds to compile on this thread, so
// "compiling ..." is drawn first. Other changes also wait, because this frame's controls belong to
// the current stages.
void Panel::enter(Entered entered) {
  entered_ = std::move(entered);
  error_.clear();
  is_waiting_ = true;
}

// Puts the entered pipeline into use. If a stage's control entered it, the pipeline's text is
// replaced too, unless the user has begun to edit it.
void Panel::take_entered() {
  is_waiting_ = false;
  try {
    replace_(entered_.pipeline);
    if (entered_.stage && pipeline_ == taken_) pipeline_ = entered_.pipeline;
    note_stages(entered_.pipeline);
  } catch (const std::exception& error) {
    error_ = error.what();
    if (!entered_.stage)
      edit_pipeline();  // keeps the focus in the text, so that letters are not commands
  }
}

// Draws the error below the text or the stage's controls that caused it.
void Panel::draw_outcome(std::optional<std::size_t> stage) const {
  if (stage != entered_.stage) return;
  if (is_waiting_ && compiles(entered_.pipeline)) write("compiling ...");
  if (!error_.empty()) write_error(error_);
}

// Stores `pipeline`, which is now in use, and the options and rungs of its stages.
void Panel::note_stages(const std::string& pipeline) {
  taken_ = pipeline;
  stages_.clear();
  for (const std::vector<std::string>& words : words_of(taken_)) {
    const std::string& name = words.front();
    stages_.push_back({words, options_of_(name), rungs_.of ? rungs_.of(name) : StageRungs{}});
  }
}

void Panel::draw_stages() {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    ImGui::PushID(static_cast<int>(i));
    title(stage.words.front().c_str());
    if (const auto changed = controls_.draw(stage.options, stage.words)) {
      enter({with_options(taken_, i, *changed), i});
    }
    if (!stage.rungs.names.empty()) draw_rungs_of(i);
    draw_outcome(i);
    ImGui::PopID();
  }
  if (!stages_.empty() && !rungs_.why_none.empty()) write(rungs_.why_none);
}

void Panel::draw_rungs_of(std::size_t stage) {
  const std::string chosen = option_value(stages_[stage].words, "rung");
  const StageRungs& rungs = stages_[stage].rungs;
  ImGui::SetNextItemWidth(width_of_control());
  if (!ImGui::BeginCombo("rung", chosen.empty() ? no_rung : chosen.c_str())) return;
  if (ImGui::Selectable(no_rung, chosen.empty())) {
    enter({with_options(taken_, stage, "rung="), stage});
  }
  for (const std::string& each : rungs.names) {
    if (!ImGui::Selectable(each.c_str(), each == chosen)) continue;
    enter({with_options(taken_, stage, rungs.options + " rung=" + each), stage});
  }
  ImGui::EndCombo();
}

void Panel::draw_clip() {
  title("clip of the result (c: start, end)");
  if (clip_.draw()) toggle_clip();
}

void draw_help(float picture_width, float picture_height) {
  ImGui::SetNextWindowPos({picture_width / 2, picture_height / 2}, 0, {0.5F, 0.5F});
  ImGui::SetNextWindowBgAlpha(1);
  ImGui::Begin("help", nullptr, note_flags);
  ImGui::TextUnformatted(keys);
  ImGui::End();
}

void draw_note(const std::string& text, float picture_width, float picture_height) {
  ImGui::SetNextWindowPos({0, picture_height}, 0, {0, 1});
  ImGui::Begin("note", nullptr, note_flags);
  ImGui::PushTextWrapPos(picture_width - 2 * ImGui::GetStyle().WindowPadding.x);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::End();
}

}  // namespace warpwise::viewer
