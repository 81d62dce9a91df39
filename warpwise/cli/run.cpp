#include "warpwise/cli/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "warpwise/cli/jobs.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/cli/worker.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::cli {
namespace {

// Refuses, before any work, an output whose type holds nothing that the operation may give.
void require_outputs_that_hold(const std::vector<Job>& jobs, const Operation& operation) {
  const std::vector<std::vector<io::PictureShape>> possible = operation.possible_results();
  for (const Job& job : jobs) {
    for (std::size_t i = 0; i < job.targets.size(); ++i) {
      const Target& target = job.targets[i];
      const std::string extension = io::extension_of(target.path);
      const bool held = std::any_of(possible[i].begin(), possible[i].end(), [&](const auto& shape) {
        return io::holding(extension, shape) != io::Holding::not_at_all;
      });
      if (held || target.extension_is_open) continue;
      throw UsageError(io::why_not_held(target.path, possible[i].front()));
    }
  }
}

bool goes_to_standard_output(const std::vector<Job>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return std::any_of(job.targets.begin(), job.targets.end(),
                       [](const Target& target) { return io::is_standard_output(target.path); });
  });
}

// A picture's bytes on a terminal are noise, and some of them are commands to it.
void require_no_terminal(const std::vector<Job>& jobs) {
  if (goes_to_standard_output(jobs) && ::isatty(STDOUT_FILENO) != 0) {
    throw UsageError(
        "the picture would go to a terminal; name a file, or send standard output to a file or a "
        "program");
  }
}

// One input on its way to its outputs: pictures go through process() one by one.
class Passage {
 public:
  Passage(const Job& job, const Operation& operation, Worker& worker)
      : job_(job), operation_(operation), worker_(worker) {
    report_.input = job.input;
  }

  void process(const io::Picture& picture) {
    if (files_.empty()) report_.source = picture.shape();
    const Stopwatch preparation;
    const std::optional<io::Picture> prepared = operation_.prepared(picture);
    const io::Picture& source = prepared ? *prepared : picture;
    if (report_.frames == 0) make_results(source.shape());
    report_.times.read += preparation.milliseconds();

    worker_.run(operation_, source, results_, report_.times);

    const Stopwatch writing;
    if (files_.empty()) {
      job_.make_folders();
      for (const std::string& path : report_.outputs) files_.emplace_back(path);
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      io::write_picture(files_[i], io::extension_of(report_.outputs[i]), results_[i]);
    }
    report_.times.write += writing.milliseconds();
    ++report_.frames;
  }

  /// Whether something is written that ends only when the input does.
  bool fills_files() const {
    return !std::all_of(report_.outputs.begin(), report_.outputs.end(), io::written_directly);
  }

  bool takes_many_frames() const {
    return std::all_of(report_.outputs.begin(), report_.outputs.end(),
                       [](const std::string& path) { return io::extension_of(path) == ".raw"; });
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
    report_.results = operation_.results(source, job_.input);
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
      // The system gives memory when it is first touched; that is no part of the operation's time.
      std::memset(results_.back().bytes().data(), 0, results_.back().bytes().size());
    }
  }

  const Job& job_;
  const Operation& operation_;
  Worker& worker_;
  std::vector<io::Picture> results_;
  std::vector<io::OutputFile> files_;
  FileReport report_;
};

void pass_frames(io::InputFile& input, const io::PictureShape& shape, Passage& passage) {
  const auto frame_bytes = static_cast<std::size_t>(shape.bytes());
  const std::string frame =
      fmt::format("a {}x{} {} frame of {} bytes", shape.width, shape.height,
                  shape.format ? name_of(*shape.format) : name_of(shape.type), frame_bytes);
  if (input.size() && static_cast<std::size_t>(*input.size()) % frame_bytes != 0) {
    throw IoError(fmt::format("{} has {} bytes, which is no multiple of {}", input.name(),
                              *input.size(), frame));
  }
  io::Picture picture(shape);
  for (std::int64_t frames = 0;; ++frames) {
    const Stopwatch reading;
    const std::size_t got = input.read(picture.bytes());
    passage.count_reading(reading);
    if (got == 0 && frames == 0) throw IoError("cannot read " + input.name() + ": it is empty");
    if (got == 0) return;
    if (got < frame_bytes) {
      throw IoError(fmt::format("{} ends inside frame {}: {} bytes of {}", input.name(), frames + 1,
                                got, frame));
    }
    if (frames == 1 && !passage.takes_many_frames()) {
      throw IoError(input.name() + " has more than one frame; only .raw and pipes take several");
    }
    if (frames == 1 && input.is_device() && passage.fills_files()) {
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
    pass_frames(input, options.from->shape(*options.size), passage);
  } else {
    const io::Picture picture = io::read_picture(input);
    passage.count_reading(reading);
    passage.process(picture);
  }
  return passage.finish();
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

}  // namespace

void run_on_files(const SharedOptions& options, const Operation& operation) {
  const Stopwatch total;
  options.validate();
  Worker worker(options);
  const std::vector<Job> jobs = list_jobs(options, operation.further_outputs());
  require_no_terminal(jobs);
  require_outputs_that_hold(jobs, operation);
  const bool pixels_to_stdout = goes_to_standard_output(jobs);
  if (options.json && pixels_to_stdout) {
    throw UsageError("--json and the output both need standard output; name a file for one");
  }

  std::vector<FileReport> reports;
  Progress progress(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    progress.show(i, jobs[i].input);
    reports.push_back(run_job(jobs[i], options, operation, worker));
    if (options.json) continue;
    progress.clear();
    const std::string line = line_of(reports.back(), operation, worker);
    if (pixels_to_stdout) {
      print_error(line);
    } else {
      print_line(line);
    }
  }
  progress.clear();
  if (options.json) {
    const auto report = json_of(reports, operation, worker, total.milliseconds());
    // A file's name need not be UTF-8.
    print(report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
}

}  // namespace warpwise::cli
