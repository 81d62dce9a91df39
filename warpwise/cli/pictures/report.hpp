#pragma once

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "warpwise/cli/pictures/operation.hpp"
#include "warpwise/cli/pictures/worker.hpp"
#include "warpwise/io/picture_folder.hpp"

namespace warpwise::cli {

/// Report on one input.
struct FileReport {
  std::string input;
  std::vector<std::string> outputs;
  io::PictureShape source;
  std::vector<io::PictureShape> results;
  std::int64_t picture = 1;   ///< number of the picture in the input, counted from 1
  std::int64_t pictures = 1;  ///< in the input
  std::int64_t frames = 0;
  std::int64_t bytes_per_frame = 0;  ///< read and written by the operation
  Times times;
};

/// An input without a result, and the reason.
struct FailedInput {
  std::string input;
  std::string reason;
};

/// Report on all inputs, in their order.
struct BatchReport {
  std::vector<FileReport> files;
  std::vector<FailedInput> failures;
  io::Skipped skipped;   ///< in the folders among the inputs
  std::size_t jobs = 1;  ///< number of files in flight
  double milliseconds = 0;
};

/// Describes a file: "out.png: 640x480 gray8 from in.png, sobel on cpu (2 threads) in 0.31 ms: 991
/// MPix/s, 3.9 GB/s". GB/s counts each byte of source and results once.
std::string line_of(const FileReport& file, const Operation& operation, const Worker& worker);

/// Returns " (picture 1 of 3)"; empty for the only picture of a file.
std::string place_text(std::int64_t picture, std::int64_t pictures);

/// Adds "picture" and "pictures" to an input's object if its file has several.
void add_place(nlohmann::ordered_json& input, std::int64_t picture, std::int64_t pictures);

/// Adds "skipped" to a report if folders have files that are no input: each with its reason.
void add_skipped(nlohmann::ordered_json& report, const io::Skipped& skipped);

/// Says what is skipped: "skipped: 1 folder (old)".
std::string skipped_line(const io::Skipped& skipped);

/// Returns the object that --json prints.
nlohmann::ordered_json json_of(const BatchReport& batch, const Operation& operation,
                               const Worker& worker);

/// Returns indented JSON with a line end. Bytes that are not UTF-8, which a file's name may have,
/// are replaced.
std::string text_of_json(const nlohmann::ordered_json& json, int indent = 2);

/// Writes a text to standard output unchanged. \throws IoError  it cannot be written.
void print(std::string_view text);

/// Returns the width in characters of the terminal on standard output; 0 if it is no terminal.
std::size_t terminal_width();

/// Writes a line to standard output or standard error. Control characters are escaped, because a
/// terminal would obey them.
void print_line(std::string_view line);
void print_error(std::string_view line);
/// Writes a compiler's log, which quotes sources, to standard error. Control characters are
/// escaped.
void print_error_log(std::string_view lines);

/// A progress bar on standard error, if that is a terminal and there is more than one task.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, std::string_view what);
  /// Removes the bar, so that output can be printed.
  void clear();

 private:
  std::size_t total_;
  bool visible_;
};

/// A line on standard error that is overwritten; silent without a terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text);

 private:
  bool is_terminal_;
};

/// Shows the current work and its duration in a line on standard error, after one second. Silent if
/// standard error is no terminal.
class Waiting {
 public:
  explicit Waiting(std::string what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::string what_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread line_;  // last member: ends before the members that it uses
};

}  // namespace warpwise::cli
