#include <tbb/global_control.h>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/worker.hpp"
#include "warpwise/cli/streams/make_stages.hpp"
#include "warpwise/cli/streams/parse_pipeline.hpp"
#include "warpwise/cli/streams/rung_stage.hpp"
#include "warpwise/cli/streams/source_options.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/viewer/viewer.hpp"

namespace warpwise::cli {
namespace {

class ViewCommand final : public Command {
 public:
  explicit ViewCommand(CLI::App& app) {
    app.add_option("SOURCE", source_name_,
                   "Frame source, as for `stream`: /dev/video0, a video, a folder, 'frames/*.png', "
                   "test:bars, scene:, pipe:rgb24:1280x720@30, - (.y4m)")
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_option(
           "--pipeline", view_.pipeline,
           "Stages between '|', as for `stream`; the window can change them. " + list_of_stages())
        ->type_name("STAGES");
    add_source_options(app, source_);
    add_decode_option(app, source_);
    add_choice(app, "--view", "Initial view", viewer::all_views, view_.view);
    add_frames_option(app, view_.frames);
    app.add_option("--screenshot", view_.screenshot,
                   "Write the window with the last frame (without --frames: the first) to this PNG "
                   "file, and stop")
        ->check(refuse_empty_name)
        ->type_name("FILE");
    app.add_flag("--no-interop", view_.no_interop,
                 "Copy frames through the host even if CUDA and OpenGL could share them, or if the "
                 "GPU decodes them");
    add_place_options(app, options_);
  }

  void execute() const override {
    if (source_name_.empty()) throw UsageError("view needs SOURCE");
    options_.validate();
    require_screenshot();
    viewer::ViewOptions view = view_;
    view.source = source_name_;
    view.on_gpu = select_gpu(options_);  // chosen first, because OpenGL has to use the same GPU
    view.parse = [&](std::string_view text) { return make_stages(text, view.on_gpu); };
    view.options_of = options_of_stage;
    view.rungs = window_rungs(view.on_gpu);
    if (!view.screenshot.empty() && !view.frames) view.frames = 1;
    const std::shared_ptr<live::Source> source =
        live::open_source(source_name_, options_to_open(source_, view.on_gpu));
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    cpu_threads(options_));
    view.threads = static_cast<int>(cpu_threads(options_));
    viewer::show(source, view);
  }

 private:
  void require_screenshot() const {
    if (view_.screenshot.empty()) return;
    if (io::extension_of(view_.screenshot) != ".png") {
      throw UsageError("--screenshot writes a PNG file, not " + view_.screenshot);
    }
    io::require_writable_path(view_.screenshot);
  }

  std::string source_name_;
  live::SourceOptions source_;
  viewer::ViewOptions view_;
  RunOptions options_;
};

}  // namespace

std::unique_ptr<Command> add_view(CLI::App& app) {
  return std::make_unique<ViewCommand>(*app.add_subcommand(
      "view",
      "Show the frames of a camera, video or pipe, and the results of stages, in a window"));
}

}  // namespace warpwise::cli
