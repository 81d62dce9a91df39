#include "warpwise/cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <span>

#include "warpwise/io/output_file.hpp"
#include "warpwise/io/printable.hpp"

namespace warpwise::cli {
namespace {

// Writes to standard error. Ignores a failure to write (the device is full or closed), because the
// work itself has not failed.
void tell(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void clear_line() { tell("\r\x1b[K"); }

}  // namespace

std::string text_of_json(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print(std::string_view text) {
  io::OutputFile out("-");
  out.write(std::as_bytes(std::span(text)));
  out.finish();
}

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

void print_line(std::string_view line) { print(io::printable(line) + "\n"); }

void print_error(std::string_view line) { tell(io::printable(line) + "\n"); }

void print_error_log(std::string_view lines) {
  tell(io::printable(lines, "\n\t") + (lines.ends_with('\n') ? "" : "\n"));
}

Progress::Progress(std::size_t total)
    : total_(total), visible_(total > 1 && ::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::show(std::size_t done, std::string_view what) {
  if (!visible_) return;
  constexpr std::size_t width = 30;
  const std::size_t filled = width * done / total_;
  tell(fmt::format("\r\x1b[K[{:#<{}}{:-<{}}] {}/{} {}", "", filled, "", width - filled, done,
                   total_, io::printable(what)));
}

void Progress::clear() {
  if (visible_) clear_line();
}

StatusLine::StatusLine() : is_terminal_(::isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() {
  if (is_terminal_) clear_line();
}

void StatusLine::show(std::string_view text) {
  if (!is_terminal_) return;
  tell("\r\x1b[K" + io::printable(text));
}

Waiting::Waiting(std::string what) : what_(std::move(what)) {
  if (::isatty(STDERR_FILENO) == 0) return;
  line_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto is_asked = [&] { return stop.stop_requested(); };
    int seconds = 1;
    for (; !changed_.wait_for(lock, stop, std::chrono::seconds(1), is_asked); ++seconds) {
      tell(fmt::format("\r\x1b[K{}: {} s", io::printable(what_), seconds));
    }
    if (seconds > 1) clear_line();
  });
}

Waiting::~Waiting() = default;

}  // namespace warpwise::cli
