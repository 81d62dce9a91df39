#pragma once

// Prints the command's results and messages. Overwrites lines of progress on a terminal.

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

namespace warpwise::cli {

/// Returns indented JSON with a line end. Replaces bytes that are not UTF-8, because a file's name
/// may contain them.
std::string text_of_json(const nlohmann::ordered_json& json, int indent = 2);

/// Writes a text to standard output unchanged. \throws IoError  the text cannot be written.
void print(std::string_view text);

/// Returns the width in characters of the terminal on standard output; 0 without a terminal.
std::size_t terminal_width();

/// Write a line to standard output, or to standard error. Control characters are escaped, because a
/// terminal would obey them.
void print_line(std::string_view line);
void print_error(std::string_view line);
/// Writes a compiler's log to standard error. Escapes control characters that quoted sources have.
void print_error_log(std::string_view lines);

/// A progress bar on standard error, shown only on a terminal and for more than one task.
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

/// A line on standard error that each show() overwrites. Without a terminal, nothing is shown.
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

/// Shows the current work and its duration in a line on standard error, from one second on. Shows
/// nothing if standard error is not a terminal.
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
  std::jthread line_;  // last member, so that the thread ends before the members that it uses
};

}  // namespace warpwise::cli
