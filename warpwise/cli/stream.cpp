#include <fmt/format.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "warpwise/base/counted.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/interruption.hpp"
#include "warpwise/cli/make_stages.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/cli/source_options.hpp"
#include "warpwise/cli/stage_text.hpp"
#include "warpwise/cli/stream_report.hpp"
#include "warpwise/cli/worker.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/run.hpp"

namespace warpwise::cli {
namespace {

namespace fs = std::filesystem;

// Frames in flight on a GPU: while one is computed, others are uploaded and downloaded.
constexpr std::size_t frames_on_gpu = 3;

class StreamCommand final : public Command {
 public:
  explicit StreamCommand(CLI::App& app) {
    app.add_option("SOURCE SINK", paths_,
                   "Frame source: /dev/video0, a video, a folder, 'frames/*.png', test:bars, "
                   "scene:, pipe:rgb24:1280x720@30, - (.y4m); and frame sink: FILE.mp4, .avi, "
                   ".mkv, .y4m, a folder, 'out/%05d.png', pipe:FORMAT, -, null")
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_option("--pipeline", pipeline_,
                   "Stages between '|', with the options of the subcommands: 'ycbcr32 | sobel | "
                   "threshold window=31'; " +
                       list_of_stages())
        ->type_name("STAGES");
    add_source_options(app, source_);
    app.add_flag("--realtime", run_.realtime,
                 "Keep the source's pace: if frames come too fast, drop all but the newest");
    app.add_option_function<std::string>(
           "--frames",
           [this](const std::string& text) {
             run_.frames = parse_integer("--frames", text, 1, std::int64_t{1} << 40);
           },
           "Stop after this many frames")
        ->type_name("N");
    app.add_flag("--no-interop", no_interop_,
                 "Copy frames that OpenGL draws through the host even if CUDA could share them");
    add_run_options(app, where_);
  }

  void execute() const override {
    if (paths_.size() != 2)
      throw UsageError(fmt::format("stream needs SOURCE SINK, not {} names", paths_.size()));
    where_.validate();
    const bool is_gpu = take_gpu(where_);  // first, so that OpenGL draws on the same GPU
    std::vector<std::shared_ptr<live::Stage>> stages = make_stages(pipeline_, is_gpu);
    require_two_places();
    require_outputs();
    live::SourceOptions options = source_;
    options.with_companions = true;
    const std::shared_ptr<live::Source> source = live::open_source(paths_[0], options);
    const std::shared_ptr<live::Sink> sink = live::open_sink(paths_[1]);
    live::Pipeline pipeline(std::move(stages), source->stream(), *sink);
    if (is_gpu) pipeline.join_chains();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    cpu_threads(where_));
    const StreamPlace place = find_place(pipeline, is_gpu, *source);
    say(fmt::format("{}: {}{}", source->name(), source->stream().text(),
                    interop_text(place, *source)));
    const std::string not_held = hand_over(*sink, pipeline.result(), *source);
    if (!not_held.empty()) say(fmt::format("{} does not hold: {}", sink->name(), not_held));
    std::vector<std::unique_ptr<live::Lane>> lanes = make_lanes(pipeline, place);
    sink->begin(pipeline.result());
    const live::Summary summary = run(source, std::move(lanes), sink, place);
    finish({summary, pipeline, *source, *sink, place, not_held});
  }

 private:
  // Returns the folder of a name's pictures; empty if the name is not for pictures.
  static std::string folder_of_pictures(const std::string& name) {
    std::error_code ignored;
    if (name.ends_with('/') || fs::is_directory(name, ignored)) return name;
    const bool is_pattern = name.find_first_of("*?[%") != std::string::npos;
    if (!is_pattern && !io::is_readable_extension(io::extension_of(name))) return {};
    const std::string folder = fs::path(name).parent_path().string();
    return folder.empty() ? "." : folder;
  }

  // Refuses equal ends, because the sink is written while the source is read.
  void require_two_places() const {
    std::error_code ignored;
    const bool is_same_folder =
        io::extension_of(paths_[1]) != ".y4m" &&
        fs::equivalent(folder_of_pictures(paths_[0]), folder_of_pictures(paths_[1]), ignored);
    if (is_same_folder || fs::equivalent(paths_[0], paths_[1], ignored)) {
      throw UsageError(fmt::format(
          "{} would be read and written at the same time; name another {} than {} for the sink",
          paths_[0], is_same_folder ? "folder" : "file", paths_[1]));
    }
  }

  bool writes_to_standard_output() const {
    return io::is_standard_output(paths_[1]) || paths_[1].starts_with("pipe:");
  }

  void require_outputs() const {
    if (!writes_to_standard_output()) return;
    if (::isatty(STDOUT_FILENO) != 0) {
      throw UsageError(
          "the frames would go to a terminal; send standard output to a file or a program");
    }
    if (where_.json) {
      throw UsageError("--json and the sink both need standard output; name a file for one");
    }
  }

  // Prints a line for the user to standard output, or to standard error if frames go to standard
  // output.
  void say(const std::string& line) const {
    if (where_.json) return;
    writes_to_standard_output() ? print_error(line) : print_line(line);
  }

  // Gives the sink the source's sound, subtitles and chapters. Returns what it cannot hold.
  static std::string hand_over(live::Sink& sink, const live::Stream& stream, live::Source& source) {
    std::shared_ptr<live::Companions> companions = source.take_companions();
    std::string not_held = sink.drops(stream, companions.get());
    sink.accompany(std::move(companions));
    return not_held;
  }

  StreamPlace find_place(const live::Pipeline& pipeline, bool is_gpu, live::Source& source) const {
    StreamPlace place;
    const std::size_t threads = cpu_threads(where_);
    // In real time one frame gets all threads, for the shortest delay.
    const bool one_by_one = pipeline.remembers() || (run_.realtime && !is_gpu);
    if (is_gpu) {
      place = {"cuda", gpu::device_info(where_.device.value_or(0)).name,
               one_by_one ? 1 : frames_on_gpu, 1,
               no_interop_ ? "--no-interop" : source.why_not_on_gpu()};
    } else {
      place = {"cpu", counted(threads, "thread"), one_by_one ? 1 : threads,
               static_cast<int>(one_by_one ? threads : 1)};
    }
    return place;
  }

  static std::vector<std::unique_ptr<live::Lane>> make_lanes(const live::Pipeline& pipeline,
                                                             const StreamPlace& place) {
    const std::size_t count = live::lanes_for(place.workers);
    if (place.backend == "cuda") {
      return live::gpu_lanes(pipeline, count, {.source = place.why_no_interop.empty()});
    }
    return live::cpu_lanes(pipeline, count, place.threads_of_worker);
  }

  live::Summary run(const std::shared_ptr<live::Source>& source,
                    std::vector<std::unique_ptr<live::Lane>> lanes,
                    const std::shared_ptr<live::Sink>& sink, const StreamPlace& place) const {
    live::RunOptions options = run_;
    options.workers = place.workers;
    const Interruption interruption(
        "\nwarpwise: ending the stream and its output; interrupt again to stop at once\n");
    StatusLine status;
    std::optional<std::int64_t> total = source->frames();
    if (run_.frames) total = std::min(total.value_or(*run_.frames), *run_.frames);
    return live::run(source, std::move(lanes), sink, options,
                     {[] { return Interruption::asked(); },
                      [&](const live::Progress& now) { status.show(status_text(now, total)); }});
  }

  void finish(const StreamReport& report) const {
    if (where_.json) {
      print(json_text(report));
    } else {
      say(text_of(report));
    }
    if (report.summary.failure) std::rethrow_exception(report.summary.failure);
    if (report.summary.was_stopped) Interruption::end();
  }

  std::vector<std::string> paths_;
  std::string pipeline_;
  live::SourceOptions source_;
  live::RunOptions run_;
  bool no_interop_ = false;
  RunOptions where_;
};

}  // namespace

std::unique_ptr<Command> add_stream(CLI::App& app) {
  return std::make_unique<StreamCommand>(*app.add_subcommand(
      "stream", "Process the frames of a camera, video or pipe in stages, and write them"));
}

}  // namespace warpwise::cli
