#include "warpwise/cli/pictures/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "warpwise/cli/pictures/batch.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/passage.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/cli/run/run_stream.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/pipeline.hpp"

namespace warpwise::cli {
namespace {

PossibleResults possible_results(const Operation& operation) {
  PossibleResults possible(1 + operation.further_outputs().size());
  for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::f32}) {
    try {
      const live::Pipeline pipeline(operation.stage(Operation::StageInput::pictures),
                                    io::PictureShape::interleaved(type, 1, 1, 1));
      const std::vector<io::PictureShape> results = pipeline.results();
      for (std::size_t i = 0; i < results.size(); ++i) possible[i].push_back(results[i]);
    } catch (const live::PixelsNotTaken&) {
      continue;
    }
  }
  return possible;
}

// Refuses an output whose file type can hold none of the possible results. Called before work.
void require_outputs_that_hold(const std::vector<Job>& jobs, const PossibleResults& possible) {
  for (const Job& job : jobs) {
    for (std::size_t i = 0; i < job.targets.size(); ++i) {
      const Target& target = job.targets[i];
      const std::string extension = io::extension_of(target.path);
      const bool held = std::any_of(possible[i].begin(), possible[i].end(), [&](const auto& shape) {
        return io::storage_fidelity(extension, shape) != io::StorageFidelity::unsupported;
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

// Refuses a terminal as the output: it would obey some of a picture's bytes as commands.
void require_no_terminal(const std::vector<Job>& jobs) {
  if (goes_to_standard_output(jobs) && ::isatty(STDOUT_FILENO) != 0) {
    throw UsageError(
        "the picture would go to a terminal; name a file, or send standard output to a file or a "
        "program");
  }
}

// Returns the message of a failure, with the input's name in it.
std::string reason_of(const std::exception_ptr& failure, const std::string& input) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    const std::string reason = error.what();
    const bool is_named = input == "-" || reason.find(input) != std::string::npos;
    return is_named ? reason : input + ": " + reason;
  }
}

bool is_invalid_argument(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const InvalidArgument&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Runs the jobs and prints a line for each result. Without --keep-going, throws the first failure.
BatchReport run_jobs(const std::vector<Job>& jobs, const SharedOptions& options,
                     const Operation& operation, Worker& worker, std::size_t jobs_at_once) {
  std::vector<std::int64_t> bytes;
  for (const Job& job : jobs) bytes.push_back(bytes_needed(job, options));
  const auto say = [&](const std::string& line) {
    if (options.json) return;
    goes_to_standard_output(jobs) ? print_error(line) : print_line(line);
  };
  BatchReport report;
  report.skipped = io::skipped_in(std::span(options.paths).first(options.paths.size() - 1),
                                  options.size.has_value());
  if (!report.skipped.is_empty()) say(skipped_line(report.skipped));
  report.jobs = jobs_at_once;
  bool is_wrong_call = false;  // true for a usage error, false for a failure with a file
  Progress progress(jobs.size());
  Batch batch(
      bytes, {jobs_at_once, half_of_memory(), !options.keep_going}, worker,
      [&](std::size_t job, Worker& own) { return run_job(jobs[job], options, operation, own); });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    progress.show(i, jobs[i].input);
    std::optional<Outcome> outcome = batch.outcome(i);
    if (!outcome) break;
    if (outcome->failure) {
      if (report.failures.empty()) is_wrong_call = is_invalid_argument(outcome->failure);
      report.failures.push_back({jobs[i].input, reason_of(outcome->failure, jobs[i].input)});
      continue;  // other jobs may have finished; their lines are printed
    }
    report.files.push_back(std::move(outcome->report));
    progress.clear();
    say(line_of(report.files.back(), operation, worker));
  }
  progress.clear();
  if (report.failures.empty() || options.keep_going) return report;
  if (is_wrong_call) throw InvalidArgument(report.failures[0].reason);
  throw Error(report.failures[0].reason);
}

}  // namespace

void run_on_files(const SharedOptions& options, const Operation& operation) {
  if (is_stream(options.paths) || options.source.all_pages) {
    if (options.jobs || options.keep_going) {
      throw UsageError("--jobs and --keep-going are for files, but this is a stream: " +
                       options.paths.back() + " takes frames one after another");
    }
    return run_as_stream(operation.name(), options.paths, options,
                         operation.stage(Operation::StageInput::frames));
  }
  const Stopwatch total;
  options.validate();
  const std::vector<Job> jobs = list_jobs(options, operation.further_outputs());
  const std::size_t asked_for =
      options.jobs ? static_cast<std::size_t>(*options.jobs) : cpu_threads(options);
  const std::size_t jobs_at_once = std::min({jobs.size(), asked_for, jobs_with_open_files()});
  Worker worker(options, jobs_at_once);
  require_no_terminal(jobs);
  const PossibleResults possible = possible_results(operation);
  require_outputs_that_hold(jobs, possible);
  require_distinct_results(jobs, possible);
  if (options.json && goes_to_standard_output(jobs)) {
    throw UsageError("--json and the output both need standard output; name a file for one");
  }
  if (!options.keep_going) {
    for (const Job& job : jobs) check_job(job, options);
  }
  const OutputFolders folders(jobs);
  BatchReport report = run_jobs(jobs, options, operation, worker, jobs_at_once);
  report.milliseconds = total.milliseconds();
  if (options.json) print(text_of_json(json_of(report, operation, worker)));
  if (report.failures.empty()) return;
  for (const FailedInput& failed : report.failures) print_error("warpwise: " + failed.reason);
  throw Error(fmt::format("{} of {} inputs failed", report.failures.size(), jobs.size()));
}

}  // namespace warpwise::cli
