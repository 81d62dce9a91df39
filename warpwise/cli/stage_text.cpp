#include "warpwise/cli/stage_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/rung_stage.hpp"
#include "warpwise/cli/stage_options.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/lab/study/suggestion.hpp"

namespace warpwise::cli {
namespace {

// A stage's words as they were written.
struct StageText {
  std::string text;
  std::vector<std::string> words;
  bool on_gpu = false;

  // "window=31" is "--window=31", "invert" is "--invert".
  void parse_with(CLI::App& app) const {
    std::vector<std::string> arguments;
    for (std::size_t i = words.size(); i > 1; --i) {
      const std::string& word = words[i - 1];
      if (std::islower(static_cast<unsigned char>(word.front())) == 0 || word.ends_with('=')) {
        throw UsageError(fmt::format("the stage '{}': '{}' is no option; one is NAME=VALUE: {}",
                                     text, word, options_of(app)));
      }
      arguments.push_back("--" + word);
    }
    try {
      app.parse(arguments);  // it takes the last first
    } catch (const CLI::ParseError& error) {
      throw UsageError(
          fmt::format("the stage '{}': {}; its options: {}", text, error.what(), options_of(app)));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("the stage '{}': {}", text, error.what()));
    }
  }

  void require_gpu_for(const std::string& rung) const {
    if (rung.empty() || on_gpu) return;
    throw UsageError(fmt::format(
        "the stage '{}': rungs run on a GPU, and the CPU computes here{}", text,
        gpu::device_count() > 0 ? ": --backend cuda" : " (" + gpu::why_no_device() + ")"));
  }

  static std::string options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) names.push_back(option->get_lnames().at(0));
    return fmt::format("{}", fmt::join(names, ", "));
  }
};

std::shared_ptr<live::Stage> conversion(PixelFormat to, const StageText& stage, CLI::App& app) {
  live::ConvertChoices choices;
  std::string rung;
  add_convert_options(app, choices);
  if (to == PixelFormat::ycbcr32) app.add_option("--rung", rung);
  stage.parse_with(app);
  stage.require_gpu_for(rung);
  if (!rung.empty()) return ycbcr32_rung(stage.text, choices, rung);
  return live::convert_stage(stage.text, to, choices);
}

std::shared_ptr<live::Stage> make_sobel(const StageText& stage, CLI::App& app) {
  SobelOptions options;
  std::string rung;
  add_sobel_options(app, options);
  app.add_option("--rung", rung);
  stage.parse_with(app);
  stage.require_gpu_for(rung);
  if (!rung.empty()) return sobel_rung(stage.text, options, rung);
  return live::sobel_stage(stage.text, options);
}

std::shared_ptr<live::Stage> make_threshold(const StageText& stage, CLI::App& app) {
  ThresholdOptions options;
  options.window = 0;
  std::string rung;
  add_threshold_options(app, options);
  app.add_option("--rung", rung);
  stage.parse_with(app);
  if (options.window == 0) {
    throw UsageError("the stage '" + stage.text + "' needs window=N, an odd number such as 31");
  }
  stage.require_gpu_for(rung);
  if (!rung.empty()) return threshold_rung(stage.text, options, rung);
  return live::threshold_stage(stage.text, options);
}

std::shared_ptr<live::Stage> make_match(const StageText& stage, CLI::App& app) {
  MatchOptions options;
  std::optional<float> max_motion;
  std::string flo;
  add_match_options(app, options, max_motion);
  app.add_option("--flo", flo);
  stage.parse_with(app);
  return live::match_stage(stage.text, options, max_motion, flo);
}

std::shared_ptr<live::Stage> make_disparity(const StageText& stage, CLI::App& app) {
  DisparityOptions options;
  add_disparity_options(app, options);
  stage.parse_with(app);
  return live::disparity_stage(stage.text, options);
}

std::shared_ptr<live::Stage> make_track(const StageText& stage, CLI::App& app) {
  std::optional<Box> box;
  TrackOptions options;
  add_track_options(app, box, options);
  stage.parse_with(app);
  if (!box) {
    throw UsageError("the stage '" + stage.text +
                     "' needs box=X,Y,W,H, the box in the first frame");
  }
  return live::track_stage(stage.text, *box, options);
}

struct Maker {
  std::string_view name;
  std::shared_ptr<live::Stage> (*make)(const StageText&, CLI::App&);
};
constexpr Maker makers[] = {{"sobel", make_sobel},
                            {"threshold", make_threshold},
                            {"match", make_match},
                            {"disparity", make_disparity},
                            {"track", make_track}};

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (const Maker& maker : makers) names.emplace_back(maker.name);
  for (const PixelFormat format : convert_destinations) names.emplace_back(name_of(format));
  return names;
}

std::shared_ptr<live::Stage> make(const StageText& stage) {
  CLI::App app;
  app.set_help_flag();
  const std::string& name = stage.words[0];
  for (const Maker& maker : makers) {
    if (maker.name == name) return maker.make(stage, app);
  }
  for (const PixelFormat format : convert_destinations) {
    if (name_of(format) == name) return conversion(format, stage, app);
  }
  throw UsageError(fmt::format("'{}' is no stage{}: {}", name, lab::suggestion(name, stage_names()),
                               list_of_stages()));
}

StageText words_of(std::string_view text, bool on_gpu) {
  std::istringstream words{std::string(text)};
  StageText stage;
  stage.on_gpu = on_gpu;
  for (std::string word; words >> word;) stage.words.push_back(word);
  if (stage.words.empty()) {
    throw UsageError("--pipeline has an empty stage; stages stand between '|', each with a name");
  }
  stage.text = fmt::format("{}", fmt::join(stage.words, " "));
  return stage;
}

}  // namespace

std::vector<std::shared_ptr<live::Stage>> parse_stages(std::string_view text, bool on_gpu) {
  std::vector<std::shared_ptr<live::Stage>> stages;
  if (text.find_first_not_of(" \t\n") == std::string_view::npos) return stages;
  while (true) {
    const std::size_t bar = text.find('|');
    stages.push_back(make(words_of(text.substr(0, bar), on_gpu)));
    if (bar == std::string_view::npos) return stages;
    text.remove_prefix(bar + 1);
  }
}

std::string list_of_stages() { return fmt::format("{}", fmt::join(stage_names(), ", ")); }

}  // namespace warpwise::cli
