#include "warpwise/primitives/disparity/disparity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/task.hpp"
#include "warpwise/cli/run/run_stream.hpp"
#include "warpwise/cli/streams/stage_options.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/disparity_colours.hpp"

namespace warpwise::cli {
namespace {

constexpr std::string_view disparity_output_types[] = {".png", ".pfm"};
constexpr std::string_view colour_types[] = {".png"};

// A .png file stores the disparity times 256, in 16 bits.
constexpr int png_scale = 256;
constexpr int max_png_disparity = 255;

// Returns true if a pixel has a disparity. disparity() marks the others by -1.
bool is_valid(float disparity) { return disparity >= 0; }

io::Picture png_of(ConstHostView disparities) {
  io::Picture picture(io::PictureShape::interleaved(ElementType::u16, 1, disparities.width(),
                                                    disparities.height()));
  for (std::int64_t i = 0; i < disparities.width() * disparities.height(); ++i) {
    const auto disparity = load<float>(disparities.data(), i);
    // 0 marks invalid pixels, so disparity 0 is stored as 1.
    const long scaled = std::max(1L, std::lround(png_scale * disparity));
    store(picture.bytes().data(), i, static_cast<std::uint16_t>(is_valid(disparity) ? scaled : 0));
  }
  return picture;
}

void mark_invalid_as_infinite(HostView disparities) {
  for (std::int64_t i = 0; i < disparities.width() * disparities.height(); ++i) {
    if (!is_valid(load<float>(disparities.data(), i))) {
      store(disparities.data(), i, std::numeric_limits<float>::infinity());
    }
  }
}

// Figures of the disparities, for the report.
struct Summary {
  double valid = 0;   // share of all pixels
  double at_end = 0;  // share of the valid pixels whose disparity is the range's end
  bool range_may_be_too_small = false;
};

Summary summary_of(ConstHostView disparities, int range) {
  double valid = 0, at_end = 0;
  const std::int64_t pixels = disparities.width() * disparities.height();
  for (std::int64_t i = 0; i < pixels; ++i) {
    const auto disparity = load<float>(disparities.data(), i);
    valid += is_valid(disparity) ? 1 : 0;
    at_end += disparity == static_cast<float>(range) ? 1 : 0;
  }
  // An object nearer than the range allows finds its best match at the end of the range, often in
  // both images. A range is probably too small if its last disparity has more than twice as many
  // pixels as the other disparities have on average. This ratio was measured on the stereo pair in
  // samples/. It is 2.4 if 4 % of the pixels lie beyond the range, and 0.3 if 0.3 % do.
  return {valid / static_cast<double>(pixels), valid > 0 ? at_end / valid : 0,
          at_end * range > 2 * (valid - at_end)};
}

class DisparityCommand final : public Command {
 public:
  explicit DisparityCommand(CLI::App& app) {
    app.add_option("LEFT RIGHT OUT", paths_,
                   "A rectified stereo pair and its disparity: a 16-bit .png (256 x disparity, 0 = "
                   "invalid) or a .pfm (infinity = invalid). Or SOURCE SINK: frames with both "
                   "pictures side by "
                   "side, and the disparities' colours as a video or pictures")
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_option("--colour,--color", colour_,
                   "Also write a picture for viewing: blue is far, red is near, black is invalid")
        ->check(refuse_empty_name)
        ->type_name("OUT.png");
    disparity_options(options_).add_to(app);
    add_stream_options(app, run_);
    add_input_options(app, run_, grey_and_rgb_formats());
  }

  void execute() const override {
    if (paths_.size() == 2 && is_stream(paths_)) {
      if (!colour_.empty())
        throw UsageError("--colour is for pictures; a stream is in these colours anyway");
      return run_as_stream("disparity", paths_, run_, live::disparity_stage("disparity", options_));
    }
    if (paths_.size() != 3) {
      throw UsageError("disparity needs LEFT RIGHT OUT, or a video and OUT");
    }
    const std::string& out = paths_[2];
    require_output(out, disparity_output_types);
    if (!colour_.empty()) require_output(colour_, colour_types);
    require_distinct_outputs({out, colour_});
    require_no_input({colour_}, {paths_[0], paths_[1]});
    const bool is_png = io::extension_of(out) == ".png";
    if (is_png && options_.max_disparity > max_png_disparity) {
      throw UsageError(
          fmt::format("a .png holds disparities up to {}, --max-disparity is {}; "
                      "write a .pfm",
                      max_png_disparity, options_.max_disparity));
    }
    Task task("disparity", run_, {paths_[0], paths_[1]}, option_values());
    std::vector<io::Picture> images;
    images.push_back(task.read_grey(paths_[0]));
    images.push_back(task.read_grey(paths_[1]));
    const io::PictureShape& shape = images[0].shape();
    require_same_size(paths_[0], shape, paths_[1], images[1].shape());

    io::Picture result =
        Task::result(io::PictureShape::interleaved(ElementType::f32, 1, shape.width, shape.height));
    task.compute(Computation::of([&](auto sources, auto to, auto... stream) {
                   disparity(sources[0].view(), sources[1].view(), to[0].view(), options_,
                             stream...);
                 }),
                 images, std::span(&result, 1));

    const HostView disparities = HostResult{result.shape(), result.bytes().data()}.view();
    const Summary summary = summary_of(disparities, options_.max_disparity);
    std::optional<io::Picture> picture;  // made before invalid disparities are changed to infinity
    if (!colour_.empty()) picture = coloured(disparities);
    if (is_png) {
      task.write(out, png_of(disparities));
    } else {
      mark_invalid_as_infinite(disparities);
      task.write(out, result);
    }
    if (picture) task.write(colour_, *picture);
    report(task, shape, summary);
  }

 private:
  void report(Task& task, const io::PictureShape& shape, const Summary& summary) const {
    std::string text = fmt::format("{}: {}x{} disparities, {:.1f} % valid", paths_[2], shape.width,
                                   shape.height, 100 * summary.valid);
    nlohmann::ordered_json values = {{"valid_share", summary.valid},
                                     {"share_at_end_of_range", summary.at_end},
                                     {"range_may_be_too_small", summary.range_may_be_too_small}};
    if (summary.range_may_be_too_small) {
      text += fmt::format(
          " ({:.1f} % of the best matches sit at the end of the range: --max-disparity may be too "
          "small)",
          100 * summary.at_end);
    }
    if (!colour_.empty()) {
      text += fmt::format(", {}: blue 0 to red {}, black invalid", colour_, options_.max_disparity);
      values["colour_range"] = {0, options_.max_disparity};
    }
    task.report(text, values);
  }

  io::Picture coloured(ConstHostView disparities) const {
    io::Picture picture(
        io::PictureShape::of(PixelFormat::rgb24, disparities.width(), disparities.height()));
    live::draw_disparity(disparities, options_.max_disparity,
                         HostResult{picture.shape(), picture.bytes().data()}.view());
    return picture;
  }

  nlohmann::ordered_json option_values() const {
    return {{"block", options_.block},
            {"max_disparity", options_.max_disparity},
            {"measure", name_of(options_.measure)},
            {"subpixel", options_.subpixel},
            {"check", options_.check}};
  }

  std::vector<std::string> paths_;
  std::string colour_;
  DisparityOptions options_;
  InputOptions run_;
};

}  // namespace

std::unique_ptr<Command> add_disparity(CLI::App& app) {
  return std::make_unique<DisparityCommand>(*app.add_subcommand(
      "disparity", "Compute the disparity of each pixel of a rectified stereo pair"));
}

}  // namespace warpwise::cli
