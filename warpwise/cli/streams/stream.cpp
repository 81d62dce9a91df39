#include "warpwise/base/counted.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/run/run_stream.hpp"
#include "warpwise/cli/streams/make_stages.hpp"
#include "warpwise/cli/streams/parse_pipeline.hpp"
#include "warpwise/cli/streams/source_options.hpp"

namespace warpwise::cli {
namespace {

class StreamCommand final : public Command {
 public:
  explicit StreamCommand(CLI::App& app) {
    app.add_option(
           "SOURCE SINK", paths_,
           "Frame source: /dev/video0, a video, a folder, 'frames/*.png', test:bars, "
           "scene:, rtsp://host/1, pipe:rgb24:1280x720@30, - (.y4m); and frame sink: "
           "FILE.mp4, .avi, .mkv, .mov, .y4m, .raw, udp://host:5000, a folder, 'out/%05d.png', "
           "pipe:FORMAT, -, null")
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_option("--pipeline", pipeline_,
                   "Stages between '|', with the options of the subcommands: 'ycbcr32 | sobel | "
                   "threshold window=31'; " +
                       list_of_stages())
        ->type_name("STAGES");
    add_source_options(app, source_);
    add_decode_option(app, source_);
    app.add_flag("--realtime", run_.realtime,
                 "Keep the source's pace: if frames come too fast, drop all but the newest");
    add_frames_option(app, run_.frames);
    app.add_flag("--no-interop", no_interop_,
                 "Copy frames that the GPU draws or decodes through host memory, even if they "
                 "could stay on the GPU");
    add_run_options(app, options_);
  }

  void execute() const override {
    if (paths_.size() != 2)
      throw UsageError("stream needs SOURCE SINK, not " + counted(paths_.size(), "name"));
    run_stream({"stream", {paths_[0]}, paths_[1], source_, run_, no_interop_, options_},
               [this](bool on_gpu) { return make_stages(pipeline_, on_gpu); });
  }

 private:
  std::vector<std::string> paths_;
  std::string pipeline_;
  live::SourceOptions source_;
  live::RunOptions run_;
  bool no_interop_ = false;
  RunOptions options_;
};

}  // namespace

std::unique_ptr<Command> add_stream(CLI::App& app) {
  return std::make_unique<StreamCommand>(*app.add_subcommand(
      "stream", "Process the frames of a camera, video or pipe in stages, and write them"));
}

}  // namespace warpwise::cli
