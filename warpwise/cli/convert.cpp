#include "warpwise/primitives/convert/convert.hpp"

#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/grey.hpp"
#include "warpwise/cli/operation.hpp"
#include "warpwise/cli/run.hpp"
#include "warpwise/cli/stage_options.hpp"

namespace warpwise::cli {
namespace {

class ConvertCommand final : public Command, public Operation {
 public:
  explicit ConvertCommand(CLI::App& app) {
    std::vector<RawFormat> sources;
    for (const PixelFormat format : convert_sources) sources.push_back(raw_format(format));
    add_shared_options(app, shared_, sources);
    app.add_option_function<std::string>(
           "--to",
           [this](const std::string& text) {
             to_ = parse_choice("--to", text, convert_destinations);
           },
           "Pixel format of the result: " + list_of(names_of(convert_destinations)))
        ->type_name("FMT");
    convert_options(choices_).add_to(app);
  }

  void execute() const override {
    if (!to_) {
      throw UsageError("convert needs --to FMT, one of " + list_of(names_of(convert_destinations)));
    }
    run_on_files(shared_, *this);
  }

  std::string name() const override { return "convert"; }

  nlohmann::ordered_json options() const override {
    const auto range = [](const std::optional<Range>& chosen) {
      return chosen ? std::string(name_of(*chosen)) : std::string("the convention's");
    };
    return {{"to", name_of(*to_)},
            {"matrix", name_of(matrix())},
            {"from_range", range(choices_.from_range)},
            {"to_range", range(choices_.to_range)},
            {"convention", name_of(choices_.convention)},
            {"chroma", name_of(choices_.upsampling)}};
  }

  std::vector<std::vector<io::PictureShape>> possible_results() const override {
    return {{io::PictureShape::of(*to_, 1, 1)}};
  }

  std::optional<io::PictureShape> grey(const io::PictureShape&) const override {
    return std::nullopt;
  }

  std::vector<io::PictureShape> results(const io::PictureShape& source,
                                        const std::string& name) const override {
    if (!source.format) {
      throw IoError(name + " has pixels of " + source.pixel_text() +
                    "; convert takes 8-bit grey, RGB and RGBA");
    }
    auto result = io::PictureShape::of(*to_, source.width, source.height);
    result.full_range = range_of_result(source) == Range::full;
    return {result};
  }

  std::shared_ptr<live::Stage> stage() const override {
    return live::convert_stage(std::string(name_of(*to_)), *to_, choices_);
  }
  void run(HostSource source, std::span<const HostResult> results) const override {
    convert(source.frame(), results[0].frame(), options_for(source.shape));
  }
  void run(DeviceSource source, std::span<const DeviceResult> results,
           gpu::StreamHandle stream) const override {
    convert(source.frame(), results[0].frame(), options_for(source.shape), stream);
  }

 private:
  Matrix matrix() const { return choices_.matrix.value_or(Matrix::bt601); }

  ConvertOptions options_for(const io::PictureShape& source) const {
    ConvertOptions options = {choices_.convention, matrix(), choices_.from_range, choices_.to_range,
                              choices_.upsampling};
    if (!options.from_range && source.full_range) {
      options.from_range = *source.full_range ? Range::full : Range::limited;
    }
    return options;
  }

  // Returns the range of a result by ConvertOptions' defaults. Has no meaning for RGB.
  Range range_of_result(const io::PictureShape& source) const {
    if (choices_.to_range) return *choices_.to_range;
    const bool from_yuv = is_yuv(source) || source.format == PixelFormat::gray8;
    const bool codes_stay = from_yuv && choices_.convention != Convention::exact;
    const std::optional<Range> from = options_for(source).from_range;
    if (codes_stay && from) return *from;
    const bool subsampled = is_yuv(source) && source.channels == 0;
    const bool limited = choices_.convention == Convention::libyuv ||
                         (codes_stay && subsampled && choices_.convention == Convention::opencv);
    return limited ? Range::limited : Range::full;
  }

  SharedOptions shared_;
  std::optional<PixelFormat> to_;
  live::ConvertChoices choices_;
};

}  // namespace

std::unique_ptr<Command> add_convert(CLI::App& app) {
  return std::make_unique<ConvertCommand>(
      *app.add_subcommand("convert", "Convert between RGB, YCbCr and grey pixel formats"));
}

}  // namespace warpwise::cli
