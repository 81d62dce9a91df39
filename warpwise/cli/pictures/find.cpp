#include "warpwise/primitives/find/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/task.hpp"
#include "warpwise/cli/pictures/variants.hpp"
#include "warpwise/cli/streams/stage_options.hpp"

namespace warpwise::cli {
namespace {

constexpr std::string_view map_types[] = {".npy", ".tif", ".tiff", ".pfm"};

// Stores find()'s result in the bytes of a picture, because find() on a GPU returns no value.
void find_into(std::span<const HostSource> sources, std::span<const HostResult> results,
               Measure measure) {
  const ConstHostView templ = sources[0].view();
  const ConstHostView image = sources[1].view();
  const Finding best = results.size() > 1 ? find(templ, image, results[1].view(), measure)
                                          : find(templ, image, measure);
  std::memcpy(results[0].data, &best, sizeof(best));
}
void find_into(std::span<const DeviceSource> sources, std::span<const DeviceResult> results,
               Measure measure, gpu::StreamHandle stream) {
  const ConstDeviceView templ = sources[0].view();
  const ConstDeviceView image = sources[1].view();
  if (results.size() > 1) {
    find(templ, image, results[0].view(), results[1].view(), measure, stream);
  } else {
    find(templ, image, results[0].view(), measure, stream);
  }
}

class FindCommand final : public Command {
 public:
  explicit FindCommand(CLI::App& app) {
    app.add_option("TEMPLATE IMAGE", paths_, "Template, and the image to search")
        ->check(refuse_empty_name)
        ->type_name("");
    StageOptions options;
    add_score_options(options, measure_, min_score_);
    options.add_to(app);
    add_text_option(
        app, "--scales", "A:B",
        "Sizes of the template to try: from A to B times its own, in steps of 5 %",
        [this](const std::string& text) { scales_ = parse_interval("--scales", text, 0.1, 10); });
    add_text_option(
        app, "--angles", "A:B",
        "Rotations of the template to try: from A to B degrees clockwise, in steps of 3",
        [this](const std::string& text) { angles_ = parse_interval("--angles", text, -180, 180); });
    app.add_option("--map", map_,
                   "Also write the score of every position as f32: .npy, .tiff or .pfm")
        ->check(refuse_empty_name)
        ->type_name("OUT");
    add_input_options(app, run_, grey_and_rgb_formats());
  }

  void execute() const override {
    if (paths_.size() != 2) throw UsageError("find needs TEMPLATE IMAGE");
    require_searchable();
    const std::optional<double> least = least_score(measure_, min_score_);
    Task task("find", run_, {paths_[0], paths_[1]}, option_values(least));
    std::vector<io::Picture> images;
    images.push_back(task.read_grey(paths_[0]));
    images.push_back(task.read_grey(paths_[1]));

    std::optional<io::Picture> map;
    const Found best =
        is_of_variants() ? best_variant(task, images) : place_of(task, {}, images, map);
    if (map) task.write(map_, *map);
    const bool found = !least || best.place.score >= *least;
    task.report(found ? text_of(best) : text_of_absent(best, *least), values_of(best, found));
  }

 private:
  // The best position of a variant, which is the template at a scale and an angle. `width` and
  // `height` are the variant's size in pixels.
  struct Found {
    Finding place{};
    Variant variant;
    std::int64_t width = 0;
    std::int64_t height = 0;
  };

  bool is_of_variants() const { return scales_ || angles_; }

  void require_searchable() const {
    if (!map_.empty()) require_output(map_, map_types);
    require_no_input({map_}, paths_);
    if (!is_of_variants()) return;
    if (least_is_best(measure_)) {
      throw UsageError(fmt::format(
          "--scales and --angles need --measure zncc or ncc: sums of {} depend on the size",
          name_of(measure_)));
    }
    if (!map_.empty())
      throw UsageError(
          "--map is for one size and angle of the template: leave out --scales and --angles");
  }

  // Finds the best position of a variant in images[1]. The variant's template is images[0].
  Found place_of(Task& task, const Variant& variant, const std::vector<io::Picture>& images,
                 std::optional<io::Picture>& map) const {
    const io::PictureShape& shape = images[0].shape();
    const io::PictureShape& image = images[1].shape();
    if (shape.width > image.width || shape.height > image.height) {
      throw IoError(fmt::format("the template {} of {}x{} pixels does not fit into {} of {}x{}",
                                paths_[0], shape.width, shape.height, paths_[1], image.width,
                                image.height));
    }
    std::vector<io::Picture> results;
    results.push_back(Task::result(
        io::PictureShape::interleaved(ElementType::u8, 1, std::int64_t{sizeof(Finding)}, 1)));
    if (!map_.empty()) {
      results.push_back(Task::result(io::PictureShape::interleaved(
          ElementType::f32, 1, image.width - shape.width + 1, image.height - shape.height + 1)));
    }
    task.compute(Computation::of([&](auto sources, auto to, auto... stream) {
                   find_into(sources, to, measure_, stream...);
                 }),
                 images, results);
    Found found{.variant = variant, .width = shape.width, .height = shape.height};
    std::memcpy(&found.place, results[0].bytes().data(), sizeof(found.place));
    if (!map_.empty()) map = std::move(results[1]);
    return found;
  }

  // Searches for the scale and angle of the best match, from coarse to fine. Tries all variants of
  // variants_in(), then the best one's neighbours at half a step, then at a quarter step.
  Found best_variant(Task& task, std::vector<io::Picture>& images) const {
    const io::Picture templ = std::move(images[0]);
    const Interval scales = scales_.value_or(Interval{1, 1});
    const Interval angles = angles_.value_or(Interval{0, 0});
    std::optional<Found> best;
    const auto try_all = [&](const std::vector<Variant>& variants) {
      for (const Variant& variant : variants) {
        if (!can_be_searched(templ.shape(), variant, images[1].shape())) continue;
        images[0] = drawn(templ, variant);
        std::optional<io::Picture> no_map;
        const Found found = place_of(task, variant, images, no_map);
        if (!best || found.place.score > best->place.score) best = found;
      }
    };
    try_all(variants_in(scales, angles));
    if (!best) {
      throw IoError(
          fmt::format("no size of --scales of the template {} fits into {}, with sides "
                      "of at least {} pixels",
                      paths_[0], paths_[1], least_side));
    }
    for (const double share : {0.5, 0.25}) {
      try_all(neighbours_of(best->variant, share, scales, angles));
    }
    return *best;
  }

  // Least width and height of a variant in pixels. A smaller variant would match by chance.
  static constexpr std::int64_t least_side = 8;
  static bool can_be_searched(const io::PictureShape& templ, const Variant& variant,
                              const io::PictureShape& image) {
    const io::PictureShape shape = shape_of(templ, variant);
    return std::min(shape.width, shape.height) >= least_side && shape.width <= image.width &&
           shape.height <= image.height;
  }

  nlohmann::ordered_json values_of(const Found& best, bool found) const {
    nlohmann::ordered_json values = {
        {"found", found}, {"x", best.place.x}, {"y", best.place.y}, {"score", best.place.score}};
    if (!is_of_variants()) return values;
    values["width"] = best.width;
    values["height"] = best.height;
    values["scale"] = best.variant.scale;
    values["angle"] = best.variant.angle;
    return values;
  }

  // Formats a score for people. Correlations (ncc and zncc) have six digits.
  std::string score_text(double score) const {
    const bool is_correlation = measure_ == Measure::ncc || measure_ == Measure::zncc;
    return is_correlation ? fmt::format("{:.6g}", score) : fmt::format("{}", score);
  }

  std::string text_of_absent(const Found& found, double least) const {
    const Finding& best = found.place;
    if (best.score == 0 && measure_ == Measure::zncc) {
      return fmt::format(
          "{} is not found in {}: the best zncc is 0, as it is for a template or an image of one "
          "colour (see --measure sad)",
          paths_[0], paths_[1]);
    }
    return fmt::format(
        "{} is not found in {}: the best place, x {}, y {}, has {} {}, and --min-score is {}",
        paths_[0], paths_[1], best.x, best.y, name_of(measure_), best.score, least);
  }

  std::string text_of(const Found& best) const {
    const std::string variant =
        is_of_variants() ? fmt::format(", {}x{} pixels, scale {:.3g}, angle {:.3g}", best.width,
                                       best.height, best.variant.scale, best.variant.angle)
                         : "";
    return fmt::format("{} at x {}, y {} of {}{}, {} {}", paths_[0], best.place.x, best.place.y,
                       paths_[1], variant, name_of(measure_), score_text(best.place.score));
  }

  nlohmann::ordered_json option_values(std::optional<double> least) const {
    nlohmann::ordered_json values = {{"measure", name_of(measure_)}};
    if (least) values["min_score"] = *least;
    if (scales_) values["scales"] = {scales_->first, scales_->last};
    if (angles_) values["angles"] = {angles_->first, angles_->last};
    return values;
  }

  std::vector<std::string> paths_;
  std::string map_;
  Measure measure_ = Measure::zncc;
  std::optional<double> min_score_;
  std::optional<Interval> scales_;
  std::optional<Interval> angles_;
  InputOptions run_;
};

}  // namespace

std::unique_ptr<Command> add_find(CLI::App& app) {
  return std::make_unique<FindCommand>(
      *app.add_subcommand("find", "Find the best place of a template in an image"));
}

}  // namespace warpwise::cli
