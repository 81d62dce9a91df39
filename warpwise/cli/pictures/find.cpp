#include "warpwise/primitives/find/find.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/task.hpp"
#include "warpwise/cli/streams/stage_options.hpp"

namespace warpwise::cli {
namespace {

constexpr std::string_view map_types[] = {".npy", ".tif", ".tiff", ".pfm"};

// Stores find()'s Finding in the bytes of a result, because a GPU's find() cannot return it.
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
    add_found(options, measure_, min_score_);
    options.add_to(app);
    app.add_option("--map", map_,
                   "Also write the score of every position as f32: .npy, .tiff or .pfm")
        ->check(refuse_empty_name)
        ->type_name("OUT");
    add_input_options(app, run_, grey_formats());
  }

  void execute() const override {
    if (paths_.size() != 2) throw UsageError("find needs TEMPLATE IMAGE");
    if (!map_.empty()) require_output(map_, map_types);
    require_no_input({map_}, paths_);
    const std::optional<double> least = least_score(measure_, min_score_);
    Task task("find", run_, {paths_[0], paths_[1]}, option_values(least));
    std::vector<io::Picture> images;
    images.push_back(task.read_grey(paths_[0]));
    images.push_back(task.read_grey(paths_[1]));
    const io::PictureShape& templ = images[0].shape();
    const io::PictureShape& image = images[1].shape();
    if (templ.width > image.width || templ.height > image.height) {
      throw IoError(fmt::format("the template {} of {}x{} pixels does not fit into {} of {}x{}",
                                paths_[0], templ.width, templ.height, paths_[1], image.width,
                                image.height));
    }

    std::vector<io::Picture> results;
    results.push_back(Task::result(
        io::PictureShape::interleaved(ElementType::u8, 1, std::int64_t{sizeof(Finding)}, 1)));
    if (!map_.empty()) {
      results.push_back(Task::result(io::PictureShape::interleaved(
          ElementType::f32, 1, image.width - templ.width + 1, image.height - templ.height + 1)));
    }
    task.compute(Computation::of([&](auto sources, auto to, auto... stream) {
                   find_into(sources, to, measure_, stream...);
                 }),
                 images, results);

    Finding best{};
    std::memcpy(&best, results[0].bytes().data(), sizeof(best));
    if (!map_.empty()) task.write(map_, results[1]);
    const bool found = !least || best.score >= *least;
    task.report(found ? text_of(best) : text_of_absent(best, *least),
                {{"found", found}, {"x", best.x}, {"y", best.y}, {"score", best.score}});
  }

 private:
  std::string text_of_absent(const Finding& best, double least) const {
    if (best.score == 0 && measure_ == Measure::zncc) {
      return fmt::format(
          "{} is not found in {}: a template of one colour has a zncc of 0 "
          "everywhere; use --measure sad",
          paths_[0], paths_[1]);
    }
    return fmt::format(
        "{} is not found in {}: the best place, x {}, y {}, has {} {}, and --min-score is {}",
        paths_[0], paths_[1], best.x, best.y, name_of(measure_), best.score, least);
  }

  std::string text_of(const Finding& best) const {
    return fmt::format("{} at x {}, y {} of {}, {} {}", paths_[0], best.x, best.y, paths_[1],
                       name_of(measure_), best.score);
  }

  nlohmann::ordered_json option_values(std::optional<double> least) const {
    nlohmann::ordered_json values = {{"measure", name_of(measure_)}};
    if (least) values["min_score"] = *least;
    return values;
  }

  std::vector<std::string> paths_;
  std::string map_;
  Measure measure_ = Measure::zncc;
  std::optional<double> min_score_;
  InputOptions run_;
};

}  // namespace

std::unique_ptr<Command> add_find(CLI::App& app) {
  return std::make_unique<FindCommand>(
      *app.add_subcommand("find", "Find the best place of a template in an image"));
}

}  // namespace warpwise::cli
