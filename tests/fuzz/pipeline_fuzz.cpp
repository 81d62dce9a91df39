// Fuzzes the parser of a pipeline's text. The text is refused only with UsageError, or gives stages
// with options in their ranges. The stages' texts, joined, are parsed to the same stages. A text in
// which the viewer's window has changed an option is valid too.
#include <algorithm>
#include <cmath>
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/streams/parse_pipeline.hpp"
#include "warpwise/viewer/stage_words.hpp"

namespace warpwise {
namespace {

using fuzz::require;
using Kind = live::StageOption::Kind;

void require_range(const SearchRange& range) {
  require(range.first <= range.last && range.first >= -max_match_displacement &&
              range.last <= max_match_displacement,
          "displacements ascend within what match() takes");
}

struct RequireRanges {
  void operator()(const cli::ConvertText& stage) const {
    require(name_of(stage.to) != "?", "a format is one that there is");
  }
  void operator()(const cli::DeepText& stage) const {
    require(name_of(stage.to) != "?", "a result is one that there is");
  }
  void operator()(const cli::SobelText&) const {}
  void operator()(const cli::ThresholdText& stage) const {
    const ThresholdOptions& options = stage.options;
    require(options.window >= 1 && options.window % 2 == 1 &&
                options.window <= max_threshold_window(ElementType::u8),
            "a window is odd and no larger than threshold() takes");
    require(std::isfinite(options.offset), "an offset is finite");
    require(options.maximum <= 65535, "a maximum has 16 bits");
  }
  void operator()(const cli::MatchText& stage) const {
    const MatchOptions& options = stage.options;
    require(options.block_width >= 1 && options.block_width <= 256 &&
                options.block_height == options.block_width,
            "a block is a square that match() takes");
    require(options.stride_x >= 0 && options.stride_x <= INT32_MAX &&
                options.stride_y == options.stride_x,
            "a stride can be added and multiplied");
    require_range(options.search_x);
    require_range(options.search_y);
    require(!stage.max_motion || *stage.max_motion >= 1, "a length is a pixel at least");
  }
  void operator()(const cli::DisparityText& stage) const {
    const DisparityOptions& options = stage.options;
    require(options.block >= 1 && options.block % 2 == 1 && options.block <= max_disparity_block,
            "a block is odd and no larger than disparity() takes");
    require(options.max_disparity >= 0 && options.max_disparity <= max_disparity_range,
            "a disparity is one that disparity() takes");
    require(options.check >= -1 && options.check <= max_disparity_range, "a check is one too");
  }
  void operator()(const cli::TrackText& stage) const {
    require(stage.box.has_value() && stage.box->width >= 1 && stage.box->height >= 1,
            "a box is there and holds a pixel");
    require_range(stage.options.search_x);
    require_range(stage.options.search_y);
  }
};

// Returns a value of an option that one of the window's controls can set; `pick` chooses it.
std::string value_of(const live::StageOption& option, std::size_t pick) {
  const auto steps = static_cast<std::size_t>((option.greatest - option.least) / option.step + 1);
  switch (option.kind) {
    case Kind::integer:
    case Kind::number:
      return std::to_string(option.least + option.step * static_cast<std::int64_t>(pick % steps));
    case Kind::choice: return option.choices[pick % option.choices.size()];
    case Kind::text: return {};  // the user types it
    case Kind::flag: break;
  }
  return {};
}

// The window's controls write valid options, and only into the text of their own stage.
void change_an_option(const std::vector<cli::StageText>& stages, const std::string& text,
                      std::size_t pick) {
  const std::size_t index = pick % stages.size();
  const std::string name = viewer::words_of(text)[index].front();
  const std::vector<live::StageOption> options = cli::options_of_stage(name);
  const live::StageOption& option = options[pick / stages.size() % options.size()];
  if (option.kind == Kind::text) return;
  const bool is_flag = option.kind == Kind::flag;
  const std::string word =
      is_flag ? option.name : option.name + "=" + value_of(option, pick / options.size());
  const std::string changed =
      viewer::with_options(text, index, viewer::with_former_removed(option.former, word));
  const std::vector<cli::StageText> again = cli::read_stages(changed);
  require(again.size() == stages.size(), "an option of a stage adds no other");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    require(i == index || again[i].text == stages[i].text, "other stages stay as they are");
  }
  const std::vector<std::string> words = viewer::words_of(changed)[index];
  require(std::count(words.begin(), words.end(), word) == 1, "the text has what was chosen, once");
}

// Checks a text that was accepted: nothing made from it may be refused.
void check(const std::string& text, const std::vector<cli::StageText>& stages) {
  require(stages.size() == viewer::words_of(text).size(), "the window sees the same stages");
  std::string joined;
  for (const cli::StageText& stage : stages) {
    std::visit(RequireRanges(), stage.what);
    joined += (joined.empty() ? "" : " | ") + stage.text;
  }
  const std::vector<cli::StageText> again = cli::read_stages(joined);
  require(again.size() == stages.size(), "stages survive their text");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    require(again[i].text == stages[i].text && again[i].what.index() == stages[i].what.index() &&
                again[i].rung == stages[i].rung,
            "a stage survives its text");
  }
  std::size_t pick = 0;
  for (const char letter : text) pick = 31 * pick + static_cast<unsigned char>(letter);
  if (!stages.empty()) change_an_option(stages, text, pick);
}

}  // namespace
}  // namespace warpwise

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<cli::StageText> stages;
  try {
    stages = cli::read_stages(text);
  } catch (const cli::UsageError&) {
    return 0;
  }
  check(text, stages);
  return 0;
}
