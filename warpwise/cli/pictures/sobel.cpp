#include "warpwise/primitives/sobel/sobel.hpp"

#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/operation.hpp"
#include "warpwise/cli/pictures/raw_input.hpp"
#include "warpwise/cli/pictures/run.hpp"
#include "warpwise/cli/streams/stage_options.hpp"

namespace warpwise::cli {
namespace {

class SobelCommand final : public Command, public Operation {
 public:
  explicit SobelCommand(CLI::App& app) {
    std::vector<RawFormat> formats = with_deep_formats(grey_and_rgb_formats());
    formats.push_back({"grayf32", io::PictureShape::interleaved(ElementType::f32, 1, 1, 1)});
    add_shared_options(app, shared_, formats);
    sobel_options(options_).add_to(app);
  }

  void execute() const override { run_on_files(shared_, *this); }

  std::string name() const override { return "sobel"; }

  nlohmann::ordered_json options() const override {
    return {{"output", name_of(options_.output)},
            {"norm", name_of(options_.norm)},
            {"kernel", name_of(options_.kernel)},
            {"border", name_of(options_.border)}};
  }

  std::shared_ptr<live::Stage> stage(StageInput) const override {
    return live::sobel_stage(name(), options_);
  }

 private:
  SharedOptions shared_;
  SobelOptions options_;
};

}  // namespace

std::unique_ptr<Command> add_sobel(CLI::App& app) {
  return std::make_unique<SobelCommand>(
      *app.add_subcommand("sobel", "Find edges: the gradient's magnitude or its components"));
}

}  // namespace warpwise::cli
