#include "warpwise/cli/streams/parse_pipeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/streams/stage_options.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::cli {
namespace {

using What = decltype(StageText::what);

struct Named {
  std::string name;
  What what;
};

const std::vector<Named>& all_stages() {
  static const std::vector<Named> all = [] {
    std::vector<Named> stages = {{"sobel", SobelText{}},
                                 {"threshold", ThresholdText{}},
                                 {"match", MatchText{}},
                                 {"disparity", DisparityText{}},
                                 {"track", TrackText{}}};
    for (const PixelFormat format : live::frame_destinations) {
      stages.push_back({std::string(name_of(format)), ConvertText{format, {}}});
    }
    for (const live::DeepTarget target : live::deep_targets) {
      stages.push_back({std::string(name_of(target)), DeepText{target, {}}});
    }
    return stages;
  }();
  return all;
}

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (const Named& each : all_stages()) names.emplace_back(each.name);
  return names;
}

std::optional<What> find_stage(std::string_view name) {
  for (const Named& each : all_stages()) {
    if (each.name == name) return each.what;
  }
  return std::nullopt;
}

struct OptionsOf {
  StageOptions operator()(ConvertText& stage) const { return convert_options(stage.choices); }
  StageOptions operator()(DeepText& stage) const { return convert_options(stage.choices); }
  StageOptions operator()(SobelText& stage) const { return sobel_options(stage.options); }
  StageOptions operator()(ThresholdText& stage) const {
    return threshold_options(stage.options, stage.has_maximum);
  }
  StageOptions operator()(MatchText& stage) const {
    StageOptions options = match_options(stage.options, stage.max_motion);
    add_text(options, "flo", "Folder for each frame's vectors, as .flo files", "FOLDER",
             stage.flo_folder);
    return options;
  }
  StageOptions operator()(DisparityText& stage) const { return disparity_options(stage.options); }
  StageOptions operator()(TrackText& stage) const {
    return track_options(stage.box, stage.options);
  }
};

// Returns true if the stage's kernel can be replaced by a rung of a ladder.
bool has_rungs(const What& what) {
  if (const auto* conversion = std::get_if<ConvertText>(&what)) {
    return conversion->to == PixelFormat::ycbcr32;
  }
  return std::holds_alternative<SobelText>(what) || std::holds_alternative<ThresholdText>(what);
}

void require_complete(const StageText& stage) {
  const auto* threshold = std::get_if<ThresholdText>(&stage.what);
  if (threshold != nullptr && threshold->options.window == 0) {
    throw UsageError("the stage '" + stage.text + "' needs window=N, an odd number such as 31");
  }
  const auto* track = std::get_if<TrackText>(&stage.what);
  if (track != nullptr && !track->box) {
    throw UsageError("the stage '" + stage.text +
                     "' needs box=X,Y,W,H, the box in the first frame");
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

StageText read_stage(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  if (words.empty()) {
    throw UsageError(
        "--pipeline has an empty stage; stages are separated by '|', each with a name");
  }
  const std::string name = words.front();
  std::optional<What> what = find_stage(name);
  if (!what) {
    throw UsageError(fmt::format("'{}' is no stage{}: {}", name,
                                 lab::suggestion(name, stage_names()), list_of_stages()));
  }
  StageText stage{fmt::format("{}", fmt::join(words, " ")), std::move(*what), {}};
  StageOptions options = std::visit(OptionsOf(), stage.what);
  if (has_rungs(stage.what))
    add_text(options, "rung", "Rung of the stage's ladder, to run in place of the library's kernel",
             "NAME", stage.rung);
  words.erase(words.begin());
  try {
    options.read(words);
    if (auto* track = std::get_if<TrackText>(&stage.what)) {
      // Drops the min-score of sad and ssd, which cannot have one. The text may keep it from
      // another measure, if the user changes the measure in the viewer's window.
      std::optional<double>& least = track->options.min_score;
      if (least_is_best(track->options.measure)) least.reset();
      least = least_score(track->options.measure, least);
    }
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("the stage '{}': {}", stage.text, error.what()));
  }
  require_complete(stage);
  return stage;
}

}  // namespace

std::vector<StageText> read_stages(std::string_view text) {
  std::vector<StageText> stages;
  if (words_of(text).empty()) return stages;
  while (true) {
    const std::size_t bar = text.find('|');
    stages.push_back(read_stage(text.substr(0, bar)));
    if (bar == std::string_view::npos) return stages;
    text.remove_prefix(bar + 1);
  }
}

std::vector<live::StageOption> options_of_stage(std::string_view name) {
  std::optional<What> what = find_stage(name);
  if (!what) return {};
  return std::visit(OptionsOf(), *what).list();
}

std::string list_of_stages() { return fmt::format("{}", fmt::join(stage_names(), ", ")); }

}  // namespace warpwise::cli
