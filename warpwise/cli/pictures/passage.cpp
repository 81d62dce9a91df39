#include "warpwise/cli/pictures/passage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>

#include "warpwise/base/samples.hpp"
#include "warpwise/cli/pictures/raw_input.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/raw_frames.hpp"
#include "warpwise/live/lane.hpp"

namespace warpwise::cli {
namespace {

// Passes one input through an operation to its outputs. process() computes one picture.
class Passage {
 public:
  Passage(const Job& job, const Operation& operation, Worker& worker)
      : job_(job), operation_(operation), worker_(worker) {
    report_.input = job.input;
  }

  /// Makes the pipeline for pictures of this shape, which all pictures of the input have. Returns
  /// its lane, an object that runs the pipeline and owns the memory for one picture.
  live::Lane& begin(const io::PictureShape& source) {
    report_.source = source;
    try {
      std::shared_ptr<live::Stage> stage = operation_.stage(Operation::StageInput::pictures);
      wanted_layout_ = stage->layout();
      pipeline_.emplace(std::move(stage), source);
    } catch (const live::PixelsNotTaken& error) {
      throw IoError(job_.input + " has pixels of " + source.pixel_text() + "; " + error.what());
    }
    lane_ = worker_.lane(*pipeline_);
    return *lane_;
  }

  /// Computes the picture that was read into the lane's memory, and writes its results.
  void process() {
    const Stopwatch preparation;
    if (report_.frames == 0) {
      name_results();
      lane_->prepare();
    }
    report_.times.read += preparation.milliseconds();

    lane_->compute();

    const Stopwatch writing;
    if (files_.empty()) {
      for (const std::string& path : report_.outputs) files_.emplace_back(path);
    }
    const std::span<const io::Picture> results = lane_->pictures();
    if (layout_) {
      layout_->write(results[0].bytes(), in_layout_);
      files_[0].write(in_layout_);
    }
    for (std::size_t i = layout_ ? 1 : 0; i < files_.size(); ++i) {
      io::write_picture(files_[i], io::extension_of(report_.outputs[i]), results[i], sequence_);
    }
    report_.times.write += writing.milliseconds();
    sequence_.pictures_written = ++report_.frames;
  }

  /// Returns true if an output is a regular file, which an endless input would fill.
  bool fills_files() const {
    return !std::all_of(report_.outputs.begin(), report_.outputs.end(), io::written_directly);
  }

  bool takes_many_frames() const {
    return std::all_of(report_.outputs.begin(), report_.outputs.end(), [](const std::string& path) {
      return io::takes_many_pictures(io::extension_of(path));
    });
  }

  /// Stores the parts of a .y4m file's header that the pixels' format does not contain.
  void take_header(const io::Y4mHeader& header) {
    sequence_.rate = header.rate;
    sequence_.aspect = header.aspect;
    for (const std::string_view with_siting : {"420jpeg", "420mpeg2", "420paldv"}) {
      if (header.sampling == with_siting) sequence_.sampling = header.sampling;
    }
  }

  /// Stores the picture's number in its file, for the report.
  void take_place(const io::PictureOfSeveral& read) {
    report_.picture = read.number;
    report_.pictures = read.count;
  }

  void count_reading(const Stopwatch& watch) { report_.times.read += watch.milliseconds(); }

  FileReport finish() {
    const Stopwatch writing;
    for (io::OutputFile& file : files_) file.finish();
    report_.times.write += writing.milliseconds();
    if (lane_) {
      const live::Lane::Milliseconds& took = lane_->milliseconds();
      report_.times.upload = took.upload;
      for (const double step : took.steps) report_.times.compute += step;
      report_.times.download = took.download;
    }
    return std::move(report_);
  }

 private:
  void name_results() {
    report_.results = pipeline_->results();
    report_.bytes_per_frame = report_.source.bytes();
    // If the conversion itself subsamples chroma, a chroma sample lies in the centre of its pixels,
    // which .y4m files call 420jpeg.
    const io::PictureShape& source = report_.source;
    const bool was_subsampled = source.planes ? source.planes != io::DeepPlanes::yuv444
                                              : source.format && is_subsampled(*source.format);
    if (!was_subsampled) sequence_.sampling = "420jpeg";
    for (std::size_t i = 0; i < report_.results.size(); ++i) {
      const io::PictureShape& shape = report_.results[i];
      const std::string path = job_.output_path(i, shape);
      if (io::storage_fidelity(io::extension_of(path), shape) == io::StorageFidelity::unsupported) {
        throw IoError("the result of " + job_.input + " is " + shape.pixel_text() + "; " +
                      io::why_not_held(path, shape));
      }
      report_.outputs.push_back(path);
      report_.bytes_per_frame += shape.bytes();
    }
    if (!wanted_layout_) return;
    if (io::extension_of(report_.outputs[0]) != ".raw") {
      throw IoError(fmt::format(
          "{} cannot hold {}, but .raw files and pipes can. For other outputs give --to {}",
          report_.outputs[0], wanted_layout_->name, name_of(*wanted_layout_->planes)));
    }
    layout_.emplace(*wanted_layout_, pipeline_->result());
    in_layout_.resize(static_cast<std::size_t>(pipeline_->result().shape.bytes()));
  }

  const Job& job_;
  const Operation& operation_;
  Worker& worker_;
  std::optional<live::Pipeline> pipeline_;
  std::unique_ptr<live::Lane> lane_;
  std::vector<io::OutputFile> files_;
  // Layout of the first result in its file, if it differs from the layout in memory.
  std::optional<live::DeepLayout> wanted_layout_;
  std::optional<live::LayoutCopy> layout_;
  std::vector<std::byte> in_layout_;
  io::Sequence sequence_;
  FileReport report_;
};

void pass_frames(const io::InputFile& input, io::Frames& frames, Passage& passage) {
  live::Lane& lane = passage.begin(frames.shape());
  for (std::int64_t passed = 0;; ++passed) {
    const Stopwatch reading;
    const bool is_there = frames.next(lane.source());
    passage.count_reading(reading);
    if (!is_there) return;
    if (passed == 1 && !passage.takes_many_frames()) {
      throw IoError(input.name() +
                    " has more than one frame; only .y4m, .raw and pipes take several");
    }
    if (passed == 1 && input.is_device() && passage.fills_files()) {
      throw IoError(
          input.name() +
          " is a device, which may have no end; write several frames of it to a pipe or a "
          "device, not to a file");
    }
    passage.process();
  }
}

// Passes the picture of a file. The GPU decodes JPEG files, except those that it leaves to the CPU.
void pass_picture(io::InputFile& input, const SharedOptions& options, Worker& worker,
                  const Stopwatch& reading, Passage& passage) {
  const live::SourceOptions& source = options.source;
  const bool may_be_on_gpu =
      worker.stream() && source.decode != live::Decode::cpu && !source.page && !source.all_pages;
  const auto jpeg = may_be_on_gpu ? io::read_jpeg(input) : std::nullopt;
  if (jpeg) {
    if (auto decoded = worker.decode_jpeg(*jpeg, source)) {
      passage.count_reading(reading);
      passage.begin(decoded->shape).adopt_gpu_buffer(std::move(decoded->pixels));
      return passage.process();
    }
  }
  io::PictureOfSeveral read =
      jpeg ? io::PictureOfSeveral{options.turned(io::decode_jpeg(*jpeg, input.name(), source.luma))}
           : options.read(input);
  passage.count_reading(reading);
  passage.take_place(read);
  passage.begin(read.picture.shape()).adopt_picture(std::move(read.picture));
  passage.process();
}

FileReport passed_through(const Job& job, const SharedOptions& options, const Operation& operation,
                          Worker& worker) {
  if (!options.is_raw(job.input)) refuse_video(job.input);
  Passage passage(job, operation, worker);
  const Stopwatch reading;
  io::InputFile input(job.input);
  if (options.is_raw(job.input)) {
    options.require_no_page(job.input);
    pass_frames(input, *raw_frames(input, options), passage);
  } else if (const auto y4m = io::y4m_frames_in(input, options.full_range())) {
    options.require_no_page(job.input);
    passage.take_header(y4m->header());
    pass_frames(input, *y4m, passage);
  } else {
    pass_picture(input, options, worker, reading, passage);
  }
  return passage.finish();
}

// Returns the bytes of one frame of a .y4m file, or the size of any other file.
std::int64_t bytes_of_frame(const std::string& path, std::int64_t bytes_of_file) {
  try {
    io::InputFile file(path);
    if (const auto y4m = io::y4m_frames_in(file)) return y4m->shape().bytes();
  } catch (const IoError&) {
    // The same error is reported when the file is processed.
  }
  return bytes_of_file;
}

}  // namespace

void check_job(const Job& job, const SharedOptions& options) {
  for (const Target& target : job.targets) {
    if (!target.extension_is_open) io::require_writable_path(target.path);
  }
  if (io::written_directly(job.input)) return;
  if (!options.is_raw(job.input)) refuse_video(job.input);
  io::InputFile input(job.input);
  if (!options.is_raw(job.input)) return io::require_readable_format(input);
  const io::RawFrames frames(input, options.raw_shape());
  if (input.peek(1).empty()) throw IoError("cannot read " + input.name() + ": it is empty");
}

std::int64_t bytes_needed(const Job& job, const SharedOptions& options) {
  // Estimate of memory, in bytes for each byte of an unencoded file. It covers the file, its
  // pixels, their grey values, and results of up to four bytes for each grey value.
  constexpr std::int64_t of_pixels = 8;
  // The same for an encoded file. JPEG makes photographs ten to twenty times smaller.
  constexpr std::int64_t of_encoded = 32;
  std::error_code no_file;
  const auto size = std::filesystem::file_size(job.input, no_file);
  if (no_file) return 0;  // for a pipe or an unreadable file, the size is not known
  // The size is limited because a sparse file may have any size.
  const auto bytes = std::min(static_cast<std::int64_t>(size),
                              std::numeric_limits<std::int64_t>::max() / of_encoded);
  if (options.is_raw(job.input)) {
    return of_pixels * std::min(bytes, options.raw_shape().bytes());
  }
  if (io::extension_of(job.input) == ".y4m") {
    return of_pixels * std::min(bytes, bytes_of_frame(job.input, bytes));
  }
  return (io::extension_of(job.input) == ".npy" ? of_pixels : of_encoded) * bytes;
}

FileReport run_job(const Job& job, const SharedOptions& options, const Operation& operation,
                   Worker& worker) {
  try {
    return passed_through(job, options, operation, worker);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("there is not enough memory for a picture of the size of " +
                      (job.input == "-" ? "standard input" : job.input));
  }
}

}  // namespace warpwise::cli
