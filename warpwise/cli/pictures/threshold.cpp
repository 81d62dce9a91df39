#include "warpwise/primitives/threshold/threshold.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/operation.hpp"
#include "warpwise/cli/pictures/raw_input.hpp"
#include "warpwise/cli/pictures/run.hpp"
#include "warpwise/cli/streams/stage_options.hpp"

namespace warpwise::cli {
namespace {

// Window and offset for a photo of a page. They were found by trial on photos of pages, and on
// pictures of printed text with shadows and noise. The window covers a few letters, and the offset
// is larger than the noise on white paper.
constexpr std::int64_t windows_in_page = 16;       // windows along the page's shorter side
constexpr std::int64_t least_window_of_page = 15;  // in pixels
constexpr double offset_of_page = 15;              // in grey levels, of 255

class ThresholdCommand final : public Command, public Operation {
 public:
  explicit ThresholdCommand(CLI::App& app) {
    add_shared_options(app, shared_, with_deep_formats(grey_and_rgb_formats()));
    threshold_options(options_, has_maximum_).add_to(app);
    app.get_option("--window")
        ->description(
            "Side of the square window, odd (default: a sixteenth of the shorter side; a stream "
            "needs one)");
    offset_ = app.get_option("--offset");
    offset_->description(
        "Number to subtract from the mean, in the pixels' units: 255, or 65535 for 16 bits, is "
        "white. May be negative (default: 0; without --window 15, or 3855 for 16 bits)");
    app.get_option("--max")->description(
        "Value of pixels above their mean (default: white, 255, or 65535 for pixels of 16 bits)");
    app.add_option("--mean", mean_,
                   "Also write the mean image: rounded, or f32 with --method exact-mean")
        ->check(refuse_empty_name)
        ->type_name("OUT");
  }

  void execute() const override { run_on_files(shared_, *this); }

  std::string name() const override { return "threshold"; }

  nlohmann::ordered_json options() const override {
    nlohmann::ordered_json options = {{"window", options_.window},
                                      {"offset", options_.offset},
                                      {"method", name_of(options_.method)},
                                      {"max", options_.maximum},
                                      {"invert", options_.inverted}};
    if (options_.window == 0) options["window"] = nullptr;
    if (chooses_offset()) options["offset"] = nullptr;
    return options;
  }

  nlohmann::ordered_json chosen_options(const io::PictureShape& source) const override {
    const ThresholdOptions options = options_for(source);
    nlohmann::ordered_json chosen;
    if (options_.window == 0) chosen["window"] = options.window;
    if (chooses_offset()) chosen["offset"] = options.offset;
    if (options.maximum != options_.maximum) chosen["max"] = options.maximum;
    return chosen;
  }

  std::vector<std::string> further_outputs() const override {
    return mean_.empty() ? std::vector<std::string>() : std::vector<std::string>{mean_};
  }

  std::shared_ptr<live::Stage> stage(StageInput use) const override {
    if (use == StageInput::pictures) {
      const auto choose = [this](const io::PictureShape& grey) { return options_for(grey); };
      return live::threshold_by_shape(name(), choose, !mean_.empty());
    }
    if (!mean_.empty()) throw UsageError("--mean is for files, but this is a stream of one result");
    if (options_.window == 0) throw UsageError("a stream needs --window N");
    return live::threshold_stage(name(), options_, !has_maximum_);
  }

 private:
  bool chooses_offset() const { return options_.window == 0 && offset_->count() == 0; }

  ThresholdOptions options_for(const io::PictureShape& source) const {
    ThresholdOptions options = options_;
    const std::uint32_t largest = live::largest_of(source.type);
    if (!has_maximum_) options.maximum = largest;
    if (options.window != 0) return options;
    const std::int64_t side = std::min(source.width, source.height) / windows_in_page;
    options.window = std::max(side, least_window_of_page) | 1;
    if (chooses_offset()) options.offset = offset_of_page * largest / 255;
    return options;
  }

  SharedOptions shared_;
  ThresholdOptions options_ = {.window = 0};  // 0: a window is chosen for each picture
  bool has_maximum_ = false;
  CLI::Option* offset_ = nullptr;
  std::string mean_;
};

}  // namespace

std::unique_ptr<Command> add_threshold(CLI::App& app) {
  return std::make_unique<ThresholdCommand>(*app.add_subcommand(
      "threshold",
      "Apply an adaptive threshold: each pixel against the mean of the window around it"));
}

}  // namespace warpwise::cli
