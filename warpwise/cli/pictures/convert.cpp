#include "warpwise/primitives/convert/convert.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/operation.hpp"
#include "warpwise/cli/pictures/raw_input.hpp"
#include "warpwise/cli/pictures/run.hpp"
#include "warpwise/cli/streams/stage_options.hpp"

namespace warpwise::cli {
namespace {

class ConvertCommand final : public Command, public Operation {
 public:
  explicit ConvertCommand(CLI::App& app) {
    std::vector<RawFormat> sources;
    for (const PixelFormat format : convert_sources) sources.push_back(raw_format(format));
    add_shared_options(app, shared_, with_deep_formats(sources));
    app.add_option_function<std::string>(
           "--to", [this](const std::string& text) { set_target(text); },
           "Pixel format of the result: " + list_of(names_of(live::frame_destinations)) +
               "; of more than 8 bits: " + list_of(names_of(live::deep_targets)))
        ->type_name("FMT");
    convert_options(choices_).add_to(app);
  }

  void execute() const override {
    if (!to_ && !deep_) {
      throw UsageError("convert needs --to FMT, one of " + list_of(target_names()));
    }
    SharedOptions options = shared_;
    options.source.colours.range = choices_.from_range;
    run_on_files(options, *this);
  }

  std::string name() const override { return "convert"; }

  nlohmann::ordered_json options() const override {
    const auto range = [](const std::optional<Range>& chosen) {
      return chosen ? std::string(name_of(*chosen)) : std::string("the convention's");
    };
    return {{"to", target()},
            {"matrix", name_of(matrix())},
            {"from_range", range(choices_.from_range)},
            {"to_range", range(choices_.to_range)},
            {"convention", name_of(choices_.convention)},
            {"chroma", name_of(choices_.upsampling)}};
  }

  std::shared_ptr<live::Stage> stage(StageInput use) const override {
    live::ConvertChoices choices = choices_;
    choices.by_convention = use == StageInput::pictures;
    if (deep_) return live::deep_stage(target(), *deep_, choices);
    return live::convert_stage(target(), *to_, choices);
  }

 private:
  Matrix matrix() const { return choices_.matrix.value_or(Matrix::bt601); }

  static std::vector<std::string_view> target_names() {
    std::vector<std::string_view> names = names_of(live::frame_destinations);
    std::ranges::copy(names_of(live::deep_targets), std::back_inserter(names));
    return names;
  }

  void set_target(const std::string& text) {
    const auto is_it = [&](auto each) { return name_of(each) == text; };
    to_.reset();
    deep_.reset();
    if (const auto found = std::ranges::find_if(live::frame_destinations, is_it);
        found != std::ranges::end(live::frame_destinations)) {
      to_ = *found;
    } else if (const auto deep = std::ranges::find_if(live::deep_targets, is_it);
               deep != live::deep_targets.end()) {
      deep_ = *deep;
    } else {
      refuse_choice("--to", text, target_names());
    }
  }

  std::string target() const { return std::string(deep_ ? name_of(*deep_) : name_of(*to_)); }

  SharedOptions shared_;
  std::optional<PixelFormat> to_;
  std::optional<live::DeepTarget> deep_;  // set instead of to_ for formats of more than 8 bits
  live::ConvertChoices choices_;
};

}  // namespace

std::unique_ptr<Command> add_convert(CLI::App& app) {
  return std::make_unique<ConvertCommand>(
      *app.add_subcommand("convert", "Convert between RGB, YCbCr and grey pixel formats"));
}

}  // namespace warpwise::cli
