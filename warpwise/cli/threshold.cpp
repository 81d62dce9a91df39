#include "warpwise/primitives/threshold/threshold.hpp"

#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/grey.hpp"
#include "warpwise/cli/operation.hpp"
#include "warpwise/cli/run.hpp"
#include "warpwise/cli/stage_options.hpp"

namespace warpwise::cli {
namespace {

class ThresholdCommand final : public Command, public Operation {
 public:
  explicit ThresholdCommand(CLI::App& app) {
    add_shared_options(app, shared_,
                       {raw_format(PixelFormat::gray8),
                        raw_format(PixelFormat::rgb24),
                        raw_format(PixelFormat::bgr24),
                        raw_format(PixelFormat::rgba32),
                        raw_format(PixelFormat::bgra32),
                        {"gray16", io::PictureShape::interleaved(ElementType::u16, 1, 1, 1)}});
    threshold_options(options_).add_to(app);
    app.add_option("--mean", mean_,
                   "Also write the mean image: rounded, or f32 with --method exact-mean")
        ->check(refuse_empty_name)
        ->type_name("OUT");
  }

  void execute() const override {
    if (options_.window == 0)
      throw UsageError("threshold needs --window N, an odd number such as 31");
    run_on_files(shared_, *this);
  }

  std::string name() const override { return "threshold"; }

  nlohmann::ordered_json options() const override {
    return {{"window", options_.window},
            {"offset", options_.offset},
            {"method", name_of(options_.method)},
            {"max", options_.maximum},
            {"invert", options_.inverted}};
  }

  std::vector<std::string> further_outputs() const override {
    return mean_.empty() ? std::vector<std::string>() : std::vector<std::string>{mean_};
  }

  std::vector<std::vector<io::PictureShape>> possible_results() const override {
    std::vector<std::vector<io::PictureShape>> possible(mean_.empty() ? 1 : 2);
    for (const ElementType type : {ElementType::u8, ElementType::u16}) {
      const auto shape = io::PictureShape::interleaved(type, 1, 1, 1);
      possible[0].push_back(shape);
      if (!mean_.empty()) possible[1].push_back(mean_of(shape));
    }
    return possible;
  }

  std::optional<io::PictureShape> grey(const io::PictureShape& source) const override {
    const bool is_taken = source.type == ElementType::u8 || source.type == ElementType::u16;
    const bool converts = is_taken && (is_yuv(source) || source.channels >= 3);
    return converts ? std::optional(grey_shape(source)) : std::nullopt;
  }

  std::vector<io::PictureShape> results(const io::PictureShape& source,
                                        const std::string& name) const override {
    if (source.channels != 1 ||
        (source.type != ElementType::u8 && source.type != ElementType::u16)) {
      throw IoError(name + " has pixels of " + source.pixel_text() +
                    "; threshold takes grey and colour pixels of u8 and u16");
    }
    if (mean_.empty()) return {source};
    return {source, mean_of(source)};
  }

  std::shared_ptr<live::Stage> stage() const override {
    if (!mean_.empty()) throw UsageError("--mean is for files, but this is a stream of one result");
    return live::threshold_stage(name(), options_);
  }
  void run(HostSource source, std::span<const HostResult> results) const override {
    std::optional<HostView> mean;
    if (results.size() > 1) mean = results[1].view();
    threshold(source.view(), results[0].view(), options_, mean);
  }
  void run(DeviceSource source, std::span<const DeviceResult> results,
           gpu::StreamHandle stream) const override {
    std::optional<DeviceView> mean;
    if (results.size() > 1) mean = results[1].view();
    threshold(source.view(), results[0].view(), options_, mean, stream);
  }

 private:
  io::PictureShape mean_of(const io::PictureShape& source) const {
    const bool real = options_.method == ThresholdMethod::exact_mean;
    return io::PictureShape::interleaved(real ? ElementType::f32 : source.type, 1, source.width,
                                         source.height);
  }

  SharedOptions shared_;
  ThresholdOptions options_ = {.window = 0};  // 0 until it is given
  std::string mean_;
};

}  // namespace

std::unique_ptr<Command> add_threshold(CLI::App& app) {
  return std::make_unique<ThresholdCommand>(*app.add_subcommand(
      "threshold",
      "Apply an adaptive threshold: each pixel against the mean of the window around it"));
}

}  // namespace warpwise::cli
