#include "warpwise/algorithms/track/track.hpp"

#include <fmt/format.h>

#include <iterator>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/jobs.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/cli/search.hpp"
#include "warpwise/cli/stage_options.hpp"
#include "warpwise/cli/task.hpp"
#include "warpwise/io/picture_folder.hpp"

namespace warpwise::cli {
namespace {

constexpr std::string_view track_output_types[] = {".csv"};

// A tracker and its frames, on the backend in use.
class Following {
 public:
  Following(const Worker& worker, const io::Picture& first, const Box& box,
            const TrackOptions& options)
      : stream_(worker.stream()) {
    if (!stream_) {
      on_cpu_.emplace(view_of(first), box, options);
      return;
    }
    const io::PictureShape& shape = first.shape();
    frame_.emplace(ElementType::u8, shape.width, shape.height, 1, *stream_);
    gpu::upload(view_of(first), frame_->view(), *stream_);
    on_gpu_.emplace(std::as_const(*frame_).view(), box, options, *stream_);
  }

  TrackedBox next(const io::Picture& picture) {
    if (on_cpu_) return on_cpu_->next(view_of(picture));
    gpu::upload(view_of(picture), frame_->view(), *stream_);
    return on_gpu_->next(std::as_const(*frame_).view());
  }

 private:
  static ConstHostView view_of(const io::Picture& picture) {
    return HostSource{picture.shape(), picture.bytes().data()}.view();
  }

  std::optional<gpu::StreamHandle> stream_;
  std::optional<Tracker> on_cpu_;
  std::optional<gpu::DeviceImage> frame_;
  std::optional<DeviceTracker> on_gpu_;
};

class TrackCommand final : public Command {
 public:
  explicit TrackCommand(CLI::App& app) {
    app.add_option("FRAMES... OUT", paths_,
                   "Frames: images of one size, a .y4m video, or folders of images in the order of "
                   "their names. OUT.csv gets the box's place in each frame")
        ->check(refuse_empty_name)
        ->type_name("");
    track_options(box_, options_).add_to(app);
    add_input_options(app, run_, grey_formats());
  }

  void execute() const override {
    if (paths_.size() < 2) throw UsageError("track needs FRAMES... OUT.csv");
    if (!box_) throw UsageError("track needs --box X,Y,W,H, the box in the first frame");
    const std::string& out = paths_.back();
    require_output(out, track_output_types);
    const std::vector<std::string> inputs = list_inputs();
    Task task("track", run_, inputs, option_values());

    io::PictureShape size;
    std::optional<Following> following;
    std::int64_t frames = 0;
    nlohmann::ordered_json positions = nlohmann::ordered_json::array();
    positions.push_back({{"frame", 0}, {"x", box_->x}, {"y", box_->y}});
    std::string csv = fmt::format("frame,x,y,score\n0,{},{},\n", box_->x, box_->y);
    TrackedBox last{*box_};
    Progress progress(inputs.size());
    task.for_each_grey(inputs, [&](std::size_t input, const io::Picture& frame) {
      progress.show(input, inputs[input]);
      if (frames++ == 0) {
        size = frame.shape();
        following.emplace(task.worker(), frame, *box_, options_);
        return;
      }
      require_same_size(inputs[0], size, inputs[input], frame.shape());
      const Stopwatch watch;
      last = following->next(frame);
      task.times().compute += watch.milliseconds();
      fmt::format_to(std::back_inserter(csv), "{},{},{},{}\n", frames - 1, last.box.x, last.box.y,
                     last.score);
      positions.push_back(
          {{"frame", frames - 1}, {"x", last.box.x}, {"y", last.box.y}, {"score", last.score}});
    });
    progress.clear();
    const std::span<const std::byte> parts[] = {std::as_bytes(std::span(csv))};
    task.write(out, parts);
    task.report(fmt::format("{}: {} frames, the box moves from {},{} to {},{}", out, frames,
                            box_->x, box_->y, last.box.x, last.box.y),
                {{"positions", positions}});
  }

 private:
  std::vector<std::string> list_inputs() const {
    std::vector<std::string> inputs;
    for (auto path = paths_.begin(); path != std::prev(paths_.end()); ++path) {
      if (is_folder(*path)) {
        const std::vector<std::string> inside = io::pictures_in(*path, run_.size.has_value());
        inputs.insert(inputs.end(), inside.begin(), inside.end());
      } else {
        inputs.push_back(*path);
      }
    }
    return inputs;
  }

  nlohmann::ordered_json option_values() const {
    return {{"box", {box_->x, box_->y, box_->width, box_->height}},
            {"search_x", json_of_range(options_.search_x)},
            {"search_y", json_of_range(options_.search_y)},
            {"measure", name_of(options_.measure)},
            {"update", options_.update_template}};
  }

  std::vector<std::string> paths_;
  std::optional<Box> box_;
  TrackOptions options_;
  InputOptions run_;
};

}  // namespace

std::unique_ptr<Command> add_track(CLI::App& app) {
  return std::make_unique<TrackCommand>(
      *app.add_subcommand("track", "Follow a box through a sequence of frames"));
}

}  // namespace warpwise::cli
