#include "warpwise/algorithms/track/track.hpp"

#include <fmt/format.h>

#include <iterator>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/cli/pictures/search.hpp"
#include "warpwise/cli/pictures/task.hpp"
#include "warpwise/cli/streams/stage_options.hpp"
#include "warpwise/io/picture_folder.hpp"

namespace warpwise::cli {
namespace {

constexpr std::string_view track_output_types[] = {".csv"};

// A tracker and its frames on the chosen backend.
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

// The box in each frame that was tracked so far.
class Path {
 public:
  explicit Path(const Box& first) : first_(first), last_(first) {
    positions_.push_back({{"frame", 0}, {"x", first.x}, {"y", first.y}});
    csv_ = fmt::format("frame,x,y,score\n0,{},{},\n", first.x, first.y);
  }

  void add(const TrackedBox& next) {
    ++frame_;
    if (next.lost) {
      if (lost_++ == 0) first_lost_ = frame_;
      fmt::format_to(std::back_inserter(csv_), "{},,,{}\n", frame_, next.score);
      positions_.push_back({{"frame", frame_}, {"lost", true}, {"score", next.score}});
      return;
    }
    last_ = next.box;
    fmt::format_to(std::back_inserter(csv_), "{},{},{},{}\n", frame_, last_.x, last_.y, next.score);
    positions_.push_back(
        {{"frame", frame_}, {"x", last_.x}, {"y", last_.y}, {"score", next.score}});
  }

  std::string text() const {
    std::string text = fmt::format("{} frames, the box moves from {},{} to {},{}", frame_ + 1,
                                   first_.x, first_.y, last_.x, last_.y);
    if (lost_ > 0)
      text += fmt::format("; it is lost in {} of them, first in frame {}", lost_, first_lost_);
    return text;
  }
  bool has_one_frame() const { return frame_ == 0; }
  const std::string& csv() const { return csv_; }
  const nlohmann::ordered_json& positions() const { return positions_; }

 private:
  Box first_;
  Box last_;
  std::int64_t frame_ = 0;
  std::int64_t lost_ = 0;
  std::int64_t first_lost_ = 0;
  nlohmann::ordered_json positions_ = nlohmann::ordered_json::array();
  std::string csv_;
};

class TrackCommand final : public Command {
 public:
  explicit TrackCommand(CLI::App& app) {
    app.add_option(
           "FRAMES... OUT", paths_,
           "Frames: images of one size, a .y4m video, or folders of images in the order of "
           "their names. OUT.csv gets the box's place in each frame, and no place where the "
           "box is lost")
        ->check(refuse_empty_name)
        ->type_name("");
    track_options(box_, options_).add_to(app);
    add_input_options(app, run_, grey_and_rgb_formats());
  }

  void execute() const override {
    if (paths_.size() < 2) throw UsageError("track needs FRAMES... OUT.csv");
    if (!box_) throw UsageError("track needs --box X,Y,W,H, the box in the first frame");
    TrackOptions options = options_;
    options.min_score = least_score(options.measure, options.min_score);
    const std::string& out = paths_.back();
    require_output(out, track_output_types);
    const std::span named = std::span(paths_).first(paths_.size() - 1);
    const std::vector<std::string> inputs = io::expand_folders(named, run_.size.has_value());
    Task task("track", run_, inputs, option_values(options));
    task.take_skipped(io::skipped_in(named, run_.size.has_value()));

    io::PictureShape size;
    std::optional<Following> following;
    Path path(*box_);
    Progress progress(inputs.size());
    task.for_each_grey(inputs, [&](std::size_t input, const io::Picture& frame) {
      progress.show(input, inputs[input]);
      if (!following) {
        size = frame.shape();
        following.emplace(task.worker(), frame, *box_, options);
        return;
      }
      require_same_size(inputs[0], size, inputs[input], frame.shape());
      const Stopwatch watch;
      const TrackedBox next = following->next(frame);
      task.times().compute += watch.milliseconds();
      path.add(next);
    });
    progress.clear();
    if (path.has_one_frame()) {
      throw IoError("track follows a box through several frames, but " + inputs[0] +
                    " gave one; of an animation or of several pages, 'warpwise stream FILE "
                    "FOLDER/' writes all pictures");
    }
    const std::span<const std::byte> parts[] = {std::as_bytes(std::span(path.csv()))};
    task.write(out, parts);
    task.report(out + ": " + path.text(), {{"positions", path.positions()}});
  }

 private:
  nlohmann::ordered_json option_values(const TrackOptions& options) const {
    nlohmann::ordered_json values = {{"box", {box_->x, box_->y, box_->width, box_->height}},
                                     {"search_x", json_of_range(options.search_x)},
                                     {"search_y", json_of_range(options.search_y)},
                                     {"measure", name_of(options.measure)},
                                     {"update", options.update_template}};
    if (options.min_score) values["min_score"] = *options.min_score;
    return values;
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
