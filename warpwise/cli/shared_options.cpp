// Options that several subcommands have.
#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "warpwise/base/counted.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/cli/streams/source_options.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_folder.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::cli {
namespace {

// Limit of --threads. Most machines have fewer cores, and each thread takes megabytes of address
// space for its stack.
constexpr std::int64_t most_threads = 1024;

// A job may have two unfinished files: a result, and the mean image of `threshold --mean`.
constexpr std::int64_t most_jobs = io::most_unfinished_files / 2;

}  // namespace

void RunOptions::validate() const {
  if (backend == BackendChoice::cpu && device) {
    throw UsageError("--device selects a GPU; it does not go with --backend cpu");
  }
}

void add_place_options(CLI::App& app, RunOptions& options) {
  add_choice(app, "--backend", "Backend; auto chooses a GPU if there is one", all_backend_choices,
             options.backend);
  app.add_option_function<std::string>(
         "--device",
         [&options](const std::string& text) {
           options.device = static_cast<int>(parse_integer("--device", text, 0, INT_MAX));
         },
         "Number of the GPU, as listed by `warpwise devices`")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--threads",
         [&options](const std::string& text) {
           options.threads = static_cast<int>(parse_integer("--threads", text, 1, most_threads));
         },
         "Maximum number of CPU threads of one computation (default: the number of cores)")
      ->type_name("N");
}

void add_run_options(CLI::App& app, RunOptions& options) {
  add_place_options(app, options);
  app.add_flag("--json", options.json, "Print the result as one JSON object");
}

void add_frames_option(CLI::App& app, std::optional<std::int64_t>& frames) {
  add_text_option(app, "--frames", "N", "Stop after this many frames",
                  [&frames](const std::string& text) {
                    frames = parse_integer("--frames", text, 1, std::int64_t{1} << 40);
                  });
}

void add_fps_option(CLI::App& app, std::optional<live::Rate>& rate) {
  add_text_option(
      app, "--fps", "N",
      "Frames per second. A camera is asked for this rate. Frames of a video are repeated or left "
      "out to reach it. Other sources are assumed to have this rate",
      [&rate](const std::string& text) {
        try {
          rate = live::parse_rate(text);
        } catch (const InvalidArgument& error) {
          throw UsageError(std::string("--fps: ") + error.what());
        }
      });
}

void add_stream_options(CLI::App& app, InputOptions& options) {
  add_frames_option(app, options.frames);
  add_fps_option(app, options.source.rate);
  add_decode_option(app, options.source);
  add_network_options(app, options.source);
}

bool InputOptions::is_raw(const std::string& input) const {
  if (input == "-" || io::written_directly(input)) return size.has_value();
  return io::extension_of(input) == ".raw";
}

void InputOptions::require_readable(const std::vector<std::string>& inputs) const {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("standard input ('-') can be read only once");
  }
  const auto raw = std::find_if(inputs.begin(), inputs.end(),
                                [this](const std::string& input) { return is_raw(input); });
  if (raw != inputs.end() && (!size || !from)) {
    throw UsageError(*raw + " has headerless frames: --from FMT and --size WxH must describe them");
  }
}

void InputOptions::validate(const std::vector<std::string>& inputs) const {
  require_readable(inputs);
  if (frames || source.rate || source.reconnect_seconds > 0) {
    throw UsageError(
        "--frames, --fps and --reconnect are for streams, but no input is a video, a camera or a "
        "pattern, and the output is no video");
  }
  if (source.decode == live::Decode::gpu) {
    throw UsageError(
        "--decode gpu is for videos, but no input is one; --decode auto lets a GPU decode JPEG "
        "files");
  }
  if (from && !size) throw UsageError("--from FMT needs --size WxH too");
  const std::vector<std::string> files = io::expand_folders(inputs, size.has_value());
  if (size && std::ranges::none_of(files, [this](const auto& file) { return is_raw(file); })) {
    throw UsageError(
        "--from and --size describe headerless input, but no input is a .raw file or a pipe");
  }
  if (size && !from) throw UsageError("--size WxH needs --from FMT too");
  if (source.is_for_videos() && std::ranges::none_of(files, is_video)) {
    throw UsageError("--track, --deinterlace and --rescale are for videos, but no input is one");
  }
  RunOptions::validate();
}

std::optional<bool> InputOptions::full_range() const {
  if (!source.colours.range) return std::nullopt;
  return *source.colours.range == Range::full;
}

io::PictureShape InputOptions::raw_shape() const {
  io::PictureShape shape = from->shape(*size);
  if (full_range() && shape.channels < 3) shape.full_range = full_range();
  return shape;
}

void InputOptions::require_no_page(const std::string& input) const {
  if (!source.page) return;
  throw InvalidArgument(input + " has no pages; --page is for a TIFF or WebP file");
}

io::PictureOfSeveral InputOptions::read(io::InputFile& file) const {
  if (source.all_pages) {
    throw UsageError("--page all is for streams: warpwise stream " + file.name() +
                     " frames/ reads all pictures of a file");
  }
  io::PictureOfSeveral read = io::read_picture_of_several(file, {source.page, source.luma});
  read.picture = turned(std::move(read.picture));
  return read;
}

io::Picture InputOptions::turned(io::Picture picture) const {
  return source.autorotate ? io::upright(std::move(picture)) : std::move(picture);
}

void SharedOptions::validate() const {
  if (paths.size() < 2) {
    throw UsageError(fmt::format("an input and an output are needed, IN... OUT, not {}",
                                 counted(paths.size(), "name")));
  }
  InputOptions::validate({paths.begin(), paths.end() - 1});
}

void add_input_options(CLI::App& app, InputOptions& options,
                       const std::vector<RawFormat>& formats) {
  app.add_option_function<std::string>(
         "--from",
         [&options, formats](const std::string& text) {
           options.from = parse_raw_format(text, formats);
         },
         "Pixel format of headerless input: " + list_of(names_of_formats(formats)))
      ->type_name("FMT");
  app.add_option_function<std::string>(
         "--size",
         [&options](const std::string& text) { options.size = parse_size("--size", text); },
         "Size of headerless input")
      ->type_name("WxH");
  add_reading_options(app, options.source);
  add_run_options(app, options);
}

void add_shared_options(CLI::App& app, SharedOptions& options,
                        const std::vector<RawFormat>& formats) {
  app.add_option("IN... OUT", options.paths,
                 "Inputs and the output. An input is an image file, an .npy file, a .y4m video, "
                 "headerless frames (.raw), a folder, or - for a pipe. With several inputs, or a "
                 "folder, OUT is a folder; it is created if needed. Sources and sinks of `stream`, "
                 "such as camera:0 and out.mp4, are taken too, and so are pictures with a video as "
                 "OUT")
      ->check(refuse_empty_name)
      ->type_name("");
  app.add_option_function<std::string>(
         "--jobs",
         [&options](const std::string& text) {
           options.jobs = static_cast<int>(parse_integer("--jobs", text, 1, most_jobs));
         },
         "Maximum number of files processed at a time; they share the CPU threads, and each has at "
         "least one (default: the number of CPU threads)")
      ->type_name("N");
  app.add_flag("--keep-going", options.keep_going,
               "Continue after an input fails, and list the failed inputs at the end");
  add_stream_options(app, options);
  add_input_options(app, options, formats);
}

}  // namespace warpwise::cli
