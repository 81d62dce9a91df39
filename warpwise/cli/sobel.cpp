#include "warpwise/primitives/sobel/sobel.hpp"

#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/grey.hpp"
#include "warpwise/cli/operation.hpp"
#include "warpwise/cli/run.hpp"
#include "warpwise/cli/stage_options.hpp"

namespace warpwise::cli {
namespace {

class SobelCommand final : public Command, public Operation {
 public:
  explicit SobelCommand(CLI::App& app) {
    add_shared_options(app, shared_,
                       {raw_format(PixelFormat::gray8),
                        raw_format(PixelFormat::rgb24),
                        raw_format(PixelFormat::bgr24),
                        raw_format(PixelFormat::rgba32),
                        raw_format(PixelFormat::bgra32),
                        {"gray16", io::PictureShape::interleaved(ElementType::u16, 1, 1, 1)},
                        {"grayf32", io::PictureShape::interleaved(ElementType::f32, 1, 1, 1)}});
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

  std::vector<std::vector<io::PictureShape>> possible_results() const override {
    std::vector<io::PictureShape> possible;
    for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::f32}) {
      possible.push_back(result(type, 1, 1));
    }
    return {possible};
  }

  // sobel() itself converts 8-bit colours to grey.
  std::optional<io::PictureShape> grey(const io::PictureShape& source) const override {
    const bool is_deep = source.type == ElementType::u16 || source.type == ElementType::f32;
    const bool converts = is_yuv(source) || (source.channels >= 3 && is_deep);
    return converts ? std::optional(grey_shape(source)) : std::nullopt;
  }

  std::vector<io::PictureShape> results(const io::PictureShape& source,
                                        const std::string& name) const override {
    if (source.channels == 2 || sobel_dst_types(source.type, options_.output).empty()) {
      throw IoError(name + " has pixels of " + source.pixel_text() +
                    "; sobel takes grey and colour pixels of u8, u16 and f32");
    }
    return {result(source.type, source.width, source.height)};
  }

  std::shared_ptr<live::Stage> stage() const override {
    return live::sobel_stage(name(), options_);
  }
  void run(HostSource source, std::span<const HostResult> results) const override {
    sobel(source.view(), results[0].view(), options_for(source.shape));
  }
  void run(DeviceSource source, std::span<const DeviceResult> results,
           gpu::StreamHandle stream) const override {
    sobel(source.view(), results[0].view(), options_for(source.shape), stream);
  }

 private:
  io::PictureShape result(ElementType source, std::int64_t width, std::int64_t height) const {
    return io::PictureShape::interleaved(sobel_dst_types(source, options_.output).front(), 1, width,
                                         height);
  }

  SobelOptions options_for(const io::PictureShape& source) const {
    SobelOptions options = options_;
    if (source.format) options.channels = colour_order(*source.format).value_or(ChannelOrder::rgb);
    return options;
  }

  SharedOptions shared_;
  SobelOptions options_;
};

}  // namespace

std::unique_ptr<Command> add_sobel(CLI::App& app) {
  return std::make_unique<SobelCommand>(
      *app.add_subcommand("sobel", "Find edges: the gradient's magnitude or its components"));
}

}  // namespace warpwise::cli
