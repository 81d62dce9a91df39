#include "warpwise/viewer/controls.hpp"

#include <fmt/format.h>
#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <charconv>
#include <utility>

#include "warpwise/viewer/stage_words.hpp"

namespace warpwise::viewer {
namespace {

using live::StageOption;
using Kind = StageOption::Kind;
using Changed = std::optional<std::string>;

constexpr const char* unset = "default";

bool is_escape_pressed() {
#if IMGUI_VERSION_NUM < 18700
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
#else
  return ImGui::IsKeyPressed(ImGuiKey_Escape);
#endif
}

// Returns true while a slider is edited as text.
bool is_typed() { return ImGui::GetIO().WantTextInput; }

template <class T>
std::optional<T> number_of(const std::string& text) {
  T number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_all = error == std::errc() && stop == text.data() + text.size();
  return is_all ? std::optional(number) : std::nullopt;
}

// Returns a slider's first value: `value` if it is set, otherwise the default. Returns nullopt if
// the default is in words.
template <class T>
std::optional<T> number_of(const StageOption& option, const std::string& value) {
  return number_of<T>(value.empty() ? option.default_text : value);
}

// Draws a slider. A dragged slider keeps to its steps; any number can be typed.
Changed draw_integer(const StageOption& option, const std::string& value) {
  const std::optional<int> known = number_of<int>(option, value);
  int number = known.value_or(static_cast<int>(option.least));
  if (!ImGui::SliderInt(option.name.c_str(), &number, static_cast<int>(option.least),
                        static_cast<int>(option.greatest), known ? "%d" : unset)) {
    return {};
  }
  const auto beyond = is_typed() ? 0 : (number - option.least) % option.step;
  if (known && number - beyond == *known) return {};
  return fmt::format("{}={}", option.name, number - beyond);
}

Changed draw_number(const StageOption& option, const std::string& value) {
  const std::optional<double> known = number_of<double>(option, value);
  auto number = static_cast<float>(known.value_or(static_cast<double>(option.least)));
  if (!ImGui::SliderFloat(option.name.c_str(), &number, static_cast<float>(option.least),
                          static_cast<float>(option.greatest), known ? "%.1f" : unset)) {
    return {};
  }
  return fmt::format("{}={:.6g}", option.name, number);
}

Changed draw_choice(const StageOption& option, const std::string& value) {
  const bool is_named = option.default_text.find(' ') == std::string::npos;
  const std::string otherwise = is_named ? option.default_text + " (default)" : unset;
  Changed changed;
  if (!ImGui::BeginCombo(option.name.c_str(), value.empty() ? otherwise.c_str() : value.c_str())) {
    return changed;
  }
  if (ImGui::Selectable(otherwise.c_str(), value.empty())) changed = option.name + "=";
  for (const std::string& each : option.choices) {
    if (ImGui::Selectable(each.c_str(), each == value)) changed = option.name + "=" + each;
  }
  ImGui::EndCombo();
  return changed;
}

Changed draw_text(const StageOption& option, std::string value) {
  if (!ImGui::InputTextWithHint(option.name.c_str(), option.form.c_str(), &value,
                                ImGuiInputTextFlags_EnterReturnsTrue)) {
    return {};
  }
  return option.name + "=" + value;
}

Changed draw_flag(const StageOption& option, bool is_on) {
  if (!ImGui::Checkbox(option.name.c_str(), &is_on)) return {};
  return is_on ? option.name : option.name + "=";
}

void draw_tooltip(const StageOption& option) {
  if (!ImGui::IsItemHovered()) return;
  std::string text = option.help;
  if (!option.default_text.empty()) text += "\ndefault: " + option.default_text;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

float width_of_control() { return -ImGui::GetFontSize() * 8; }

Changed Controls::draw(const StageOption& option, const std::vector<std::string>& words) {
  std::string value = option_value(words, option.name);
  if (value.empty() && !option.former.empty()) value = option_value(words, option.former);
  Changed slid;
  switch (option.kind) {
    case Kind::integer: slid = draw_integer(option, value); break;
    case Kind::number: slid = draw_number(option, value); break;
    case Kind::choice: return draw_choice(option, value);
    case Kind::text: return draw_text(option, value);
    case Kind::flag: return draw_flag(option, has_flag(words, option.name));
  }
  // A number that is still being typed takes effect when the slider loses the focus.
  if (slid && is_typed()) typed_ = *std::exchange(slid, std::nullopt);
  if (ImGui::IsItemDeactivated()) {
    std::string typed = std::exchange(typed_, {});
    if (!typed.empty() && !is_escape_pressed()) return typed;
  }
  return slid;
}

Changed Controls::draw(const std::vector<StageOption>& options,
                       const std::vector<std::string>& words) {
  Changed changed;
  ImGui::PushItemWidth(width_of_control());
  for (const StageOption& option : options) {
    if (const Changed now = draw(option, words)) changed = with_former_removed(option.former, *now);
    draw_tooltip(option);
  }
  ImGui::PopItemWidth();
  return changed;
}

}  // namespace warpwise::viewer
