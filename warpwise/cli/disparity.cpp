#include "warpwise/primitives/disparity/disparity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/search.hpp"
#include "warpwise/cli/task.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::cli {
namespace {

constexpr std::string_view output_types[] = {".png", ".pfm"};

// A .png holds 256 times the disparity in 16 bits.
constexpr int png_scale = 256;
constexpr int max_png_disparity = 255;

// disparity() marks a pixel that has none by -1.
bool is_valid(float disparity) { return disparity >= 0; }

io::Picture png_of(ConstHostView disparities) {
  io::Picture picture(io::PictureShape::interleaved(ElementType::u16, 1, disparities.width(),
                                                    disparities.height()));
  for (std::int64_t i = 0; i < disparities.width() * disparities.height(); ++i) {
    const auto disparity = load<float>(disparities.data(), i);
    // 0 means invalid: the disparity 0 becomes the least value above it.
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

class DisparityCommand final : public Command {
 public:
  explicit DisparityCommand(CLI::App& app) {
    app.add_option("LEFT RIGHT OUT", paths_,
                   "A rectified stereo pair and its disparity: a 16-bit .png (256 x disparity, 0 = "
                   "invalid) or a .pfm (infinity = invalid)")
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_option_function<std::string>(
           "--block",
           [this](const std::string& text) {
             options_.block =
                 static_cast<int>(parse_integer("--block", text, 1, max_disparity_block));
             if (options_.block % 2 == 0) {
               throw UsageError("--block got '" + text + "', it needs an odd number such as " +
                                std::to_string(options_.block + 1));
             }
           },
           fmt::format("Side of the block around each pixel, odd (default: {})", options_.block))
        ->type_name("N");
    add_integer(app, "--max-disparity",
                fmt::format("The largest displacement tried (default: {})", max_disparity_), 0,
                max_disparity_range, max_disparity_);
    add_measure(app, options_.measure);
    app.add_flag("--subpixel", options_.subpixel, "Refine by a parabola through the scores");
    add_integer(app, "--check",
                fmt::format("How far the disparities of a pixel and its counterpart may differ; -1 "
                            "for no check (default: {})",
                            check_),
                -1, max_disparity_range, check_);
    add_run_options(app, run_);
  }

  void execute() const override {
    if (paths_.size() != 3) throw UsageError("disparity needs LEFT RIGHT OUT");
    const std::string& out = paths_[2];
    require_extension(out, output_types);
    const bool is_png = io::extension_of(out) == ".png";
    if (is_png && max_disparity_ > max_png_disparity) {
      throw UsageError(
          fmt::format("a .png holds disparities up to {}, --max-disparity is {}; "
                      "write a .pfm",
                      max_png_disparity, max_disparity_));
    }
    Task task("disparity", run_, option_values());
    std::vector<io::Picture> images;
    images.push_back(task.read_grey(paths_[0]));
    images.push_back(task.read_grey(paths_[1]));
    const io::PictureShape& shape = images[0].shape();
    require_same_size(paths_[0], shape, paths_[1], images[1].shape());

    DisparityOptions options = options_;
    options.max_disparity = static_cast<int>(max_disparity_);
    options.check = static_cast<int>(check_);
    io::Picture result =
        Task::result(io::PictureShape::interleaved(ElementType::f32, 1, shape.width, shape.height));
    task.compute(Computation::of([&](auto sources, auto to, auto... stream) {
                   disparity(sources[0].view(), sources[1].view(), to[0].view(), options,
                             stream...);
                 }),
                 images, std::span(&result, 1));

    const HostView disparities = HostResult{result.shape(), result.bytes().data()}.view();
    const double valid = share_of_valid(disparities);
    if (is_png) {
      task.write(out, png_of(disparities));
    } else {
      mark_invalid_as_infinite(disparities);
      task.write(out, result);
    }
    task.report(fmt::format("{}: {}x{} disparities, {:.1f} % valid", out, shape.width, shape.height,
                            100 * valid),
                {{"valid_share", valid}});
  }

 private:
  static double share_of_valid(ConstHostView disparities) {
    const std::int64_t pixels = disparities.width() * disparities.height();
    std::int64_t valid = 0;
    for (std::int64_t i = 0; i < pixels; ++i) {
      if (is_valid(load<float>(disparities.data(), i))) ++valid;
    }
    return static_cast<double>(valid) / static_cast<double>(pixels);
  }

  nlohmann::ordered_json option_values() const {
    return {{"block", options_.block},
            {"max_disparity", max_disparity_},
            {"measure", name_of(options_.measure)},
            {"subpixel", options_.subpixel},
            {"check", check_}};
  }

  std::vector<std::string> paths_;
  DisparityOptions options_;
  std::int64_t max_disparity_ = options_.max_disparity;
  std::int64_t check_ = options_.check;
  RunOptions run_;
};

}  // namespace

std::unique_ptr<Command> add_disparity(CLI::App& app) {
  return std::make_unique<DisparityCommand>(
      *app.add_subcommand("disparity", "Disparity of each pixel of a rectified stereo pair"));
}

}  // namespace warpwise::cli
