#include "warpwise/cli/run/run_stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/cli/interruption.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/cli/pictures/worker.hpp"
#include "warpwise/cli/streams/source_options.hpp"
#include "warpwise/cli/streams/stream_report.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/picture_folder.hpp"
#include "warpwise/live/sources.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::cli {
namespace {

namespace fs = std::filesystem;

// Number of frames in flight on a GPU: one is uploaded, one is computed, and one is downloaded.
constexpr std::size_t frames_on_gpu = 3;

// Returns the folder of the pictures that a name stands for. The name may be a folder, a pattern or
// one picture. Returns an empty text for any other name, such as a video's.
std::string folder_of_pictures(const std::string& name) {
  if (name.ends_with('/') || is_folder(name)) return name;
  const bool is_pattern = name.find_first_of("*?[%") != std::string::npos;
  if (!is_pattern && !io::is_readable_extension(io::extension_of(name))) return {};
  const std::string folder = fs::path(name).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Refuses a sink that is also the source, because both would be used at the same time.
void require_two_places(const std::string& source, const std::string& sink) {
  std::error_code ignored;
  // Only a sink of many pictures writes a folder. Other sinks may lie in the source's folder.
  const bool is_folder_written =
      sink.ends_with('/') || is_folder(sink) || sink.find('%') != std::string::npos;
  const bool is_same_folder =
      is_folder_written &&
      fs::equivalent(folder_of_pictures(source), folder_of_pictures(sink), ignored);
  if (is_same_folder || fs::equivalent(source, sink, ignored)) {
    throw UsageError(fmt::format(
        "{} would be read and written at the same time; name another {} than {} for the sink",
        source, is_same_folder ? "folder" : "file", sink));
  }
}

bool writes_to_standard_output(const StreamCall& call) {
  return io::is_standard_output(call.sink) || call.sink.starts_with("pipe:");
}

void require_free_output(const StreamCall& call) {
  if (!writes_to_standard_output(call)) return;
  if (::isatty(STDOUT_FILENO) != 0) {
    throw UsageError(
        "the frames would go to a terminal; send standard output to a file or a program");
  }
  if (call.options.json) {
    throw UsageError("--json and the sink both need standard output; name a file for one");
  }
}

// Prints a line for the user to standard output or, if frames go there, to standard error.
void say(const StreamCall& call, const std::string& line) {
  if (call.options.json) return;
  writes_to_standard_output(call) ? print_error(line) : print_line(line);
}

// Prints a line, but ignores a failure to write it. The work goes on then, and its report fails.
void say_if_possible(const StreamCall& call, const std::string& line) {
  try {
    say(call, line);
  } catch (const IoError&) {
    return;
  }
}

std::shared_ptr<live::Source> open_sources(const StreamCall& call, bool is_gpu, bool with_alpha) {
  live::SourceOptions options = options_to_open(call.source, is_gpu);
  options.with_alpha = with_alpha;
  options.with_companions = true;
  if (call.sources.size() == 1) return live::open_source(call.sources[0], options);
  std::ranges::for_each(call.sources, refuse_video);
  if (call.source.format || call.source.deep_format || call.source.width) {
    throw UsageError("--from and --size describe frames without headers, but these are pictures");
  }
  const std::vector<std::string> pictures = io::expand_folders(call.sources, false);
  return live::picture_source(counted(pictures.size(), "picture"), pictures, options);
}

// Returns the seconds of a stream that --frames limits, from its mean rate; nullopt if unknown.
std::optional<double> seconds_of(const StreamCall& call, const live::Stream& stream) {
  if (!call.run.frames || !stream.rate.is_known()) return std::nullopt;
  return static_cast<double>(*call.run.frames) / stream.rate.per_second();
}

bool has_alpha(const live::Stream& stream) { return live::has_alpha(stream.format_of_8_bits()); }

// Passes the source's sound, subtitles and chapters to the sink. They end with the last frame.
// Returns the parts that the sink cannot hold.
std::vector<std::string> pass_companions(live::Sink& sink, const live::Stream& stream,
                                         live::Source& source,
                                         const std::optional<double>& seconds) {
  std::shared_ptr<live::Companions> companions = source.take_companions();
  live::Stream stored = stream;
  stored.depth = source.stream().depth;  // stages scale samples to 16 bits, but add no bits
  std::vector<std::string> not_held = sink.unstored_parts(stored, companions.get());
  // The alpha of frames that OpenGL draws has no meaning, so its loss is not reported.
  if (has_alpha(source.stream()) && !source.is_opengl() && !has_alpha(stream)) {
    not_held.insert(not_held.begin(), "alpha");
  }
  if (companions && seconds) companions->end_at(*seconds);
  sink.set_companions(std::move(companions));
  return not_held;
}

StreamPlace find_place(const StreamCall& call, const live::Pipeline& pipeline, bool is_gpu,
                       live::Source& source) {
  const std::size_t threads = cpu_threads(call.options);
  // In real time, one frame at a time is computed by all threads, to keep the delay short.
  const bool one_by_one = pipeline.is_stateful() || (call.run.realtime && !is_gpu);
  if (is_gpu) {
    return {"cuda", gpu::device_info(call.options.device.value_or(0)).name,
            one_by_one ? 1 : frames_on_gpu, 1,
            call.no_interop ? "--no-interop" : source.why_not_on_gpu()};
  }
  return {"cpu", counted(threads, "thread"), one_by_one ? 1 : threads,
          static_cast<int>(one_by_one ? threads : 1)};
}

std::vector<std::unique_ptr<live::Lane>> make_lanes(const live::Pipeline& pipeline,
                                                    const StreamPlace& place) {
  const std::size_t count = live::lane_count_for(place.workers);
  if (place.backend == "cuda") {
    return live::gpu_lanes(pipeline, count, {.source = place.why_no_interop.empty()});
  }
  return live::cpu_lanes(pipeline, count, place.threads_of_worker);
}

live::Summary run_frames(const StreamCall& call, const std::shared_ptr<live::Source>& source,
                         std::vector<std::unique_ptr<live::Lane>> lanes,
                         const std::shared_ptr<live::Sink>& sink, const StreamPlace& place) {
  live::RunOptions options = call.run;
  options.workers = place.workers;
  const Interruption interruption(
      "\nwarpwise: ending the stream and its output; interrupt again to stop at once\n");
  StatusLine status;
  std::optional<std::int64_t> total = source->frames();
  if (options.frames) total = std::min(total.value_or(*options.frames), *options.frames);
  const auto tell_news = [&] {
    for (const std::string& news : source->take_news()) {
      status.show({});
      print_error(news);
    }
  };
  live::Summary summary = live::run(source, std::move(lanes), sink, options,
                                    {[] { return Interruption::is_requested(); },
                                     [&](const live::Progress& now) {
                                       tell_news();
                                       status.show(status_text(now, total));
                                     }});
  tell_news();
  return summary;
}

void finish(const StreamCall& call, const StreamReport& report) {
  if (call.options.json) {
    print(json_text(report));
  } else if (report.summary.failure) {
    say_if_possible(call, text_of(report));  // the failure of the work is the one to report
  } else {
    say(call, text_of(report));
  }
  if (report.summary.failure) std::rethrow_exception(report.summary.failure);
  if (report.summary.was_stopped) Interruption::raise_signal();
}

// Returns true if a name is that of a video, a network peer, a camera, generated frames or pipe:….
bool is_frame_source(const std::string& name) {
  if (is_video(name) || live::is_address(name) || live::is_other_address(name)) return true;
  if (name.starts_with("/dev/video")) return true;
  static constexpr std::string_view kinds[] = {"camera:", "test:", "scene:", "pipe:"};
  std::error_code ignored;
  return !fs::exists(name, ignored) &&
         std::ranges::any_of(kinds, [&](std::string_view kind) { return name.starts_with(kind); });
}

// Returns true if an output takes frames and is not a picture file.
bool is_frame_sink(const std::string& name, bool takes_many_pictures) {
  const std::string extension = io::extension_of(name);
  if (is_folder(name)) return false;
  return name.starts_with("pipe:") || live::is_address(name) ||
         (takes_many_pictures && extension == ".y4m") ||
         std::ranges::find(live::video_extensions, extension) != live::video_extensions.end();
}

// Refuses one picture as the input if the sink takes frames.
void require_frames(const std::string& source, const std::string& sink) {
  const std::string extension = io::extension_of(source);
  const bool is_pattern = source.find_first_of("*?[") != std::string::npos;
  const bool is_picture = io::is_readable_extension(extension) && extension != ".y4m";
  if (!is_picture || is_pattern || is_folder(source)) return;
  io::InputFile file(source);
  if (io::count_pictures(file) > 1) return;
  throw UsageError(fmt::format(
      "{} takes frames, and {} is one picture; name several pictures, a folder or a video", sink,
      source));
}

}  // namespace

void run_stream(const StreamCall& call,
                const std::function<std::vector<std::shared_ptr<live::Stage>>(bool)>& make_stages) {
  call.options.validate();
  const bool is_gpu =
      select_gpu(call.options);  // chosen first, because OpenGL has to use the same GPU
  std::vector<std::shared_ptr<live::Stage>> stages = make_stages(is_gpu);
  for (const std::string& source : call.sources) require_two_places(source, call.sink);
  require_free_output(call);
  const bool with_alpha =
      live::may_hold_alpha(call.sink) &&
      std::ranges::all_of(stages, [](const auto& stage) { return stage->keeps_alpha(); });
  const std::shared_ptr<live::Source> source = open_sources(call, is_gpu, with_alpha);
  const std::shared_ptr<live::Sink> sink =
      live::open_sink(call.sink, call.source.timeout_seconds,
                      stages.empty() ? std::nullopt : stages.back()->layout());
  live::Pipeline pipeline(std::move(stages), source->stream(), *sink);
  if (is_gpu) pipeline.join_chains();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  cpu_threads(call.options));
  const StreamPlace place = find_place(call, pipeline, is_gpu, *source);
  const io::Skipped skipped = io::skipped_in(call.sources, false);
  if (!skipped.is_empty()) say_if_possible(call, skipped_line(skipped));
  say_if_possible(call, fmt::format("{}: {}{}{}", source->name(), source->stream().text(),
                                    pipeline.rounds_to_8_bits() ? ", rounded to 8 bits" : "",
                                    interop_text(place, *source)));
  const std::vector<std::string> lost =
      pass_companions(*sink, pipeline.result(), *source, seconds_of(call, source->stream()));
  const std::string not_held = fmt::format("{}", fmt::join(lost, ", "));
  if (!not_held.empty())
    say_if_possible(call, fmt::format("{} does not hold: {}", sink->name(), not_held));
  std::vector<std::unique_ptr<live::Lane>> lanes = make_lanes(pipeline, place);
  sink->begin(pipeline.result());
  const live::Summary summary = run_frames(call, source, std::move(lanes), sink, place);
  finish(call, {call.command, summary, pipeline, *source, *sink, place, not_held, skipped});
}

bool is_stream(const std::vector<std::string>& paths) {
  if (paths.size() < 2) return false;
  const bool is_alone = paths.size() == 2;
  const bool is_many = !is_alone || is_folder(paths[0]);
  return (is_alone && is_frame_source(paths[0])) || is_frame_sink(paths.back(), is_many);
}

void run_as_stream(const std::string& command, const std::vector<std::string>& paths,
                   const InputOptions& options, std::shared_ptr<live::Stage> stage) {
  if (paths.size() == 2) require_frames(paths[0], paths[1]);
  options.require_readable({paths.begin(), paths.end() - 1});
  const auto deep_format =
      options.from ? live::deep_layout_named(options.from->name) : std::nullopt;
  if (options.from && !options.from->pixel.format && !deep_format) {
    throw UsageError("--from " + options.from->name + " is for files, but this is a stream: " +
                     paths.back() + " takes frames of 8 to 16 bits");
  }
  StreamCall call{.command = command,
                  .sources = {paths.begin(), paths.end() - 1},
                  .sink = paths.back(),
                  .source = options.source,
                  .options = options};
  call.run.frames = options.frames;
  if (paths[0] == "-" && options.size) {
    call.sources[0] =
        fmt::format("pipe:{}:{}x{}", options.from->name, options.size->width, options.size->height);
  } else {
    if (options.from) call.source.format = options.from->pixel.format;
    call.source.deep_format = deep_format;
    if (options.size) call.source.width = options.size->width;
    if (options.size) call.source.height = options.size->height;
  }
  run_stream(call, [&](bool) { return std::vector{std::move(stage)}; });
}

}  // namespace warpwise::cli
