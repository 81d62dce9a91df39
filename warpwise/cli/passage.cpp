#include "warpwise/cli/passage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>

#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/raw_frames.hpp"

namespace warpwise::cli {
namespace {

// Takes one input to its outputs; pictures pass through process() one by one.
class Passage {
 public:
  Passage(const Job& job, const Operation& operation, Worker& worker)
      : job_(job), operation_(operation), worker_(worker) {
    report_.input = job.input;
  }

  void process(const io::Picture& picture) {
    if (files_.empty()) report_.source = picture.shape();
    const Stopwatch preparation;
    if (report_.frames == 0) make_results(picture.shape());
    report_.times.read += preparation.milliseconds();

    worker_.run(operation_, picture, results_, report_.times);

    const Stopwatch writing;
    if (files_.empty()) {
      for (const std::string& path : report_.outputs) files_.emplace_back(path);
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      io::write_picture(files_[i], io::extension_of(report_.outputs[i]), results_[i], sequence_);
    }
    report_.times.write += writing.milliseconds();
    sequence_.before = ++report_.frames;
  }

  /// Returns true if an output is a regular file. It would grow as long as the input does not end.
  bool fills_files() const {
    return !std::all_of(report_.outputs.begin(), report_.outputs.end(), io::written_directly);
  }

  bool takes_many_frames() const {
    return std::all_of(report_.outputs.begin(), report_.outputs.end(), [](const std::string& path) {
      return io::takes_many_pictures(io::extension_of(path));
    });
  }

  /// Takes over the header fields that .y4m results state besides their pixels.
  void take_rates(const io::Y4mHeader& header) {
    sequence_.rate = header.rate;
    sequence_.aspect = header.aspect;
  }

  void count_reading(const Stopwatch& watch) { report_.times.read += watch.milliseconds(); }

  FileReport finish() {
    const Stopwatch writing;
    for (io::OutputFile& file : files_) file.finish();
    report_.times.write += writing.milliseconds();
    return std::move(report_);
  }

 private:
  void make_results(const io::PictureShape& source) {
    report_.results = operation_.results(operation_.grey(source).value_or(source), job_.input);
    report_.bytes_per_frame = source.bytes();
    for (std::size_t i = 0; i < report_.results.size(); ++i) {
      const io::PictureShape& shape = report_.results[i];
      const std::string path = job_.output_path(i, shape);
      if (io::holding(io::extension_of(path), shape) == io::Holding::not_at_all) {
        throw IoError("the result of " + job_.input + " is " + shape.pixel_text() + "; " +
                      io::why_not_held(path, shape));
      }
      report_.outputs.push_back(path);
      report_.bytes_per_frame += shape.bytes();
      results_.emplace_back(shape);
      // Touches the memory: the system provides it on first touch, and the operation's time must
      // not include that.
      std::memset(results_.back().bytes().data(), 0, results_.back().bytes().size());
    }
  }

  const Job& job_;
  const Operation& operation_;
  Worker& worker_;
  std::vector<io::Picture> results_;
  std::vector<io::OutputFile> files_;
  io::Sequence sequence_;
  FileReport report_;
};

void pass_frames(const io::InputFile& input, io::Frames& frames, Passage& passage) {
  io::Picture picture(frames.shape());
  for (std::int64_t passed = 0;; ++passed) {
    const Stopwatch reading;
    const bool is_there = frames.next(picture.bytes());
    passage.count_reading(reading);
    if (!is_there) return;
    if (passed == 1 && !passage.takes_many_frames()) {
      throw IoError(input.name() +
                    " has more than one frame; only .y4m, .raw and pipes take several");
    }
    if (passed == 1 && input.is_device() && passage.fills_files()) {
      throw IoError(input.name() +
                    " is a device, which may have no end; several frames of one go to a pipe or a "
                    "device, not into a file");
    }
    passage.process(picture);
  }
}

FileReport passed_through(const Job& job, const SharedOptions& options, const Operation& operation,
                          Worker& worker) {
  if (!options.is_raw(job.input)) refuse_video(job.input);
  Passage passage(job, operation, worker);
  const Stopwatch reading;
  io::InputFile input(job.input);
  if (options.is_raw(job.input)) {
    io::RawFrames frames(input, options.raw_shape());
    pass_frames(input, frames, passage);
  } else if (const auto y4m = io::y4m_frames_in(input)) {
    passage.take_rates(y4m->header());
    pass_frames(input, *y4m, passage);
  } else {
    const io::Picture picture = io::read_picture(input);
    passage.count_reading(reading);
    passage.process(picture);
  }
  return passage.finish();
}

// Returns the bytes of one frame of a .y4m file; for any other file at least the file's bytes.
std::int64_t bytes_of_frame(const std::string& path, std::int64_t bytes_of_file) {
  try {
    io::InputFile file(path);
    if (const auto y4m = io::y4m_frames_in(file)) return y4m->shape().bytes();
  } catch (const IoError&) {
    // The error is reported when this file is processed.
  }
  return bytes_of_file;
}

}  // namespace

void check_job(const Job& job, const SharedOptions& options) {
  for (const Target& target : job.targets) {
    if (!target.extension_is_open) io::require_place(target.path);
  }
  if (io::written_directly(job.input)) return;
  if (!options.is_raw(job.input)) refuse_video(job.input);
  io::InputFile input(job.input);
  if (!options.is_raw(job.input)) return io::require_picture(input);
  const io::RawFrames frames(input, options.raw_shape());
  if (input.peek(1).empty()) throw IoError("cannot read " + input.name() + ": it is empty");
}

std::int64_t bytes_needed(const Job& job, const SharedOptions& options) {
  // Covers the file, its pixels, their grey, and results of up to four bytes for each byte of grey.
  constexpr std::int64_t of_pixels = 8;
  // JPEG photographs take a tenth to a twentieth of their pixels' bytes.
  constexpr std::int64_t of_encoded = 32;
  std::error_code no_file;
  const auto size = std::filesystem::file_size(job.input, no_file);
  if (no_file) return 0;  // a pipe, or an unreadable file
  // A sparse file may claim any size.
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
