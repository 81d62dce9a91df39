#include "warpwise/primitives/match/match.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/search.hpp"
#include "warpwise/cli/pictures/task.hpp"
#include "warpwise/cli/run/run_stream.hpp"
#include "warpwise/cli/streams/stage_options.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/flow.hpp"

namespace warpwise::cli {
namespace {

using live::Flow;

constexpr std::string_view match_output_types[] = {".flo", ".csv", ".png"};

// The result of match(), with access to its pixels.
struct Matches {
  HostView displacement;
  HostView score;
  Measure measure = Measure::sad;

  std::int16_t dx(std::int64_t column, std::int64_t row) const {
    return load<std::int16_t>(displacement.row(row), 2 * column);
  }
  std::int16_t dy(std::int64_t column, std::int64_t row) const {
    return load<std::int16_t>(displacement.row(row), 2 * column + 1);
  }
  std::string score_text(std::int64_t column, std::int64_t row) const {
    return least_is_best(measure) ? fmt::format("{}", load<std::uint32_t>(score.row(row), column))
                                  : fmt::format("{}", load<float>(score.row(row), column));
  }

  // Returns the number of image blocks without a match: each displacement leads out of the image.
  std::int64_t unmatched() const {
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < displacement.height(); ++row) {
      for (std::int64_t column = 0; column < displacement.width(); ++column) {
        if (dx(column, row) == no_match) ++count;
      }
    }
    return count;
  }

  std::string csv(std::int64_t stride) const {
    std::string text = "x,y,dx,dy,score\n";
    for (std::int64_t row = 0; row < displacement.height(); ++row) {
      for (std::int64_t column = 0; column < displacement.width(); ++column) {
        fmt::format_to(std::back_inserter(text), "{},{},", column * stride, row * stride);
        if (dx(column, row) == no_match) {
          text += ",,\n";
        } else {
          fmt::format_to(std::back_inserter(text), "{},{},{}\n", dx(column, row), dy(column, row),
                         score_text(column, row));
        }
      }
    }
    return text;
  }
};

class MatchCommand final : public Command {
 public:
  explicit MatchCommand(CLI::App& app) {
    app.add_option("REFERENCE TARGET OUT", paths_,
                   "Two images of one size and the motion between them: a .flo file, a .csv table "
                   "of blocks, or a .png with direction as hue and length as saturation. Or SOURCE "
                   "SINK: the motion from each frame to the next, as a video or pictures")
        ->check(refuse_empty_name)
        ->type_name("");
    match_options(options_, max_motion_).add_to(app);
    add_stream_options(app, run_);
    add_input_options(app, run_, grey_and_rgb_formats());
  }

  void execute() const override {
    if (paths_.size() == 2 && is_stream(paths_)) {
      return run_as_stream("match", paths_, run_,
                           live::match_stage("match", options_, max_motion_));
    }
    if (paths_.size() != 3)
      throw UsageError("match needs REFERENCE TARGET OUT, or a video and OUT");
    require_output(paths_[2], match_output_types);
    if (max_motion_ && io::extension_of(paths_[2]) != ".png") {
      throw UsageError("--max-motion sets the colours of a .png, but the output is " + paths_[2]);
    }
    Task task("match", run_, {paths_[0], paths_[1]}, option_values());
    std::vector<io::Picture> images;
    images.push_back(task.read_grey(paths_[0]));
    images.push_back(task.read_grey(paths_[1]));
    require_same_size(paths_[0], images[0].shape(), paths_[1], images[1].shape());

    const MatchGrid grid = match_grid(images[0].shape().width, images[0].shape().height, options_);
    const auto shape = [&](ElementType type, int channels) {
      return io::PictureShape::interleaved(type, channels, grid.columns, grid.rows);
    };
    std::vector<io::Picture> results;
    results.push_back(Task::result(shape(ElementType::i16, 2)));
    results.push_back(Task::result(shape(match_score_type(options_.measure), 1)));
    task.compute(Computation::of([&](auto sources, auto to, auto... stream) {
                   match(sources[0].view(), sources[1].view(), to[0].view(), options_, to[1].view(),
                         stream...);
                 }),
                 images, results);
    const auto view = [](io::Picture& picture) {
      return HostResult{picture.shape(), picture.bytes().data()}.view();
    };
    finish(task, images[0].shape(), {view(results[0]), view(results[1]), options_.measure});
  }

 private:
  std::int64_t block() const { return options_.block_width; }
  std::int64_t stride() const { return options_.stride_x == 0 ? block() : options_.stride_x; }

  nlohmann::ordered_json option_values() const {
    return {{"block", block()},
            {"stride", stride()},
            {"search_x", json_of_range(options_.search_x)},
            {"search_y", json_of_range(options_.search_y)},
            {"measure", name_of(options_.measure)},
            {"border", name_of(options_.border)}};
  }

  void finish(Task& task, const io::PictureShape& image, const Matches& matches) const {
    const std::string& out = paths_[2];
    const std::int64_t unmatched = matches.unmatched();
    const std::int64_t blocks = matches.displacement.width() * matches.displacement.height();
    if (unmatched == blocks) throw Error(why_no_match(image));
    const Flow flow = live::flow_of(matches.displacement, options_, image.width, image.height);
    std::optional<float> full_colour;
    if (io::extension_of(out) == ".csv") {
      const std::string text = matches.csv(stride());
      const std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
      task.write(out, parts);
    } else if (io::extension_of(out) == ".flo") {
      const std::vector<std::byte> header = flo_header(flow);
      const std::span<const std::byte> parts[] = {header, std::as_bytes(std::span(flow.vectors))};
      task.write(out, parts);
    } else {
      full_colour = max_motion_.value_or(live::p99_vector_length(matches.displacement));
      io::Picture picture(io::PictureShape::of(PixelFormat::rgb24, image.width, image.height));
      live::draw_motion(matches.displacement, options_, *full_colour,
                        HostResult{picture.shape(), picture.bytes().data()}.view());
      task.write(out, picture);
    }

    const MatchGrid grid = {matches.displacement.width(), matches.displacement.height()};
    const std::int64_t right = image.width - (grid.columns - 1) * stride() - block();
    const std::int64_t bottom = image.height - (grid.rows - 1) * stride() - block();
    std::string text =
        fmt::format("{}: {}x{} blocks, longest motion {:.1f} pixels", out, grid.columns, grid.rows,
                    static_cast<double>(max_vector_length(flow)));
    if (full_colour)
      text += fmt::format(", motion of {:.1f} pixels or more has full colour", *full_colour);
    if (unmatched > 0) {
      text +=
          fmt::format(" ({} blocks have no match: every displacement leaves the image)", unmatched);
    }
    if (right > 0 || bottom > 0) {
      text += fmt::format(" ({} columns at the right and {} rows at the bottom are in no block)",
                          right, bottom);
    }
    nlohmann::ordered_json values = {
        {"columns", grid.columns},           {"rows", grid.rows},
        {"blocks_without_match", unmatched}, {"longest_motion", max_vector_length(flow)},
        {"columns_left_out", right},         {"rows_left_out", bottom}};
    if (full_colour) values["max_motion"] = *full_colour;
    task.report(text, values);
  }

  std::string why_no_match(const io::PictureShape& image) const {
    return fmt::format(
        "no block of {} has a candidate in {}: with a search of x {}:{} and y {}:{} every "
        "displacement of a block of {}x{} pixels leaves the image of {}x{}; search nearer, take a "
        "smaller --block-size, or --border replicate",
        paths_[0], paths_[1], options_.search_x.first, options_.search_x.last,
        options_.search_y.first, options_.search_y.last, block(), block(), image.width,
        image.height);
  }

  std::vector<std::string> paths_;
  MatchOptions options_;
  std::optional<float> max_motion_;
  InputOptions run_;
};

}  // namespace

std::unique_ptr<Command> add_match(CLI::App& app) {
  return std::make_unique<MatchCommand>(
      *app.add_subcommand("match", "Estimate block motion from one image to another"));
}

}  // namespace warpwise::cli
