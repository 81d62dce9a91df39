#include "warpwise/cli/pictures/report.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "warpwise/io/output_file.hpp"
#include "warpwise/io/printable.hpp"

namespace warpwise::cli {
namespace {

struct Rates {
  double megapixels_per_second = 0;
  double gigabytes_per_second = 0;
};

Rates rates_of(const FileReport& file) {
  if (file.times.compute <= 0) return {};
  const double seconds = file.times.compute / 1000;
  const auto frames = static_cast<double>(file.frames);
  const double pixels =
      static_cast<double>(file.source.width) * static_cast<double>(file.source.height);
  return {frames * pixels / seconds / 1e6,
          frames * static_cast<double>(file.bytes_per_frame) / seconds / 1e9};
}

// Writes to standard error. Ignores errors (it is full or closed), because the work itself has not
// failed.
void tell(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void clear_line() { tell("\r\x1b[K"); }

}  // namespace

std::string line_of(const FileReport& file, const Operation& operation, const Worker& worker) {
  const Rates rates = rates_of(file);
  std::string name = operation.name();
  const nlohmann::ordered_json chosen = operation.chosen(file.source);
  for (const auto& [option, value] : chosen.items()) {
    name += fmt::format(" --{} {}", option, value.dump());
  }
  return fmt::format(
      "{}: {}x{} {}{} from {}{}, {} on {} ({}) in {:.3f} ms: {:.0f} MPix/s, {:.2f} GB/s",
      fmt::join(file.outputs, ", "), file.source.width, file.source.height,
      file.results[0].pixel_text(),
      file.frames == 1 ? "" : fmt::format(", {} frames,", file.frames), file.input,
      place_text(file.picture, file.pictures), name, worker.backend(), worker.device(),
      file.times.compute, rates.megapixels_per_second, rates.gigabytes_per_second);
}

nlohmann::ordered_json json_of(const BatchReport& batch, const Operation& operation,
                               const Worker& worker) {
  nlohmann::ordered_json report = {{"command", operation.name()},
                                   {"options", operation.options()},
                                   {"backend", worker.backend()},
                                   {"device", worker.device()},
                                   {"jobs", batch.jobs}};
  report["files"] = nlohmann::ordered_json::array();
  for (const FileReport& file : batch.files) {
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < file.outputs.size(); ++i) {
      outputs.push_back({{"path", file.outputs[i]}, {"pixels", file.results[i].pixel_text()}});
    }
    const Rates rates = rates_of(file);
    report["files"].push_back({{"input", file.input},
                               {"pixels", file.source.pixel_text()},
                               {"width", file.source.width},
                               {"height", file.source.height},
                               {"frames", file.frames},
                               {"outputs", outputs},
                               {"milliseconds",
                                {{"read", file.times.read},
                                 {"upload", file.times.upload},
                                 {"compute", file.times.compute},
                                 {"download", file.times.download},
                                 {"write", file.times.write}}},
                               {"mpix_per_s", rates.megapixels_per_second},
                               {"gb_per_s", rates.gigabytes_per_second}});
    const nlohmann::ordered_json chosen = operation.chosen(file.source);
    if (!chosen.is_null()) report["files"].back()["chosen"] = chosen;
    add_place(report["files"].back(), file.picture, file.pictures);
  }
  report["errors"] = nlohmann::ordered_json::array();
  for (const FailedInput& failed : batch.failures) {
    report["errors"].push_back({{"input", failed.input}, {"message", failed.reason}});
  }
  add_skipped(report, batch.skipped);
  report["milliseconds"] = batch.milliseconds;
  return report;
}

std::string place_text(std::int64_t picture, std::int64_t pictures) {
  return pictures == 1 ? "" : fmt::format(" (picture {} of {})", picture, pictures);
}

void add_place(nlohmann::ordered_json& input, std::int64_t picture, std::int64_t pictures) {
  if (pictures == 1) return;
  input["picture"] = picture;
  input["pictures"] = pictures;
}

void add_skipped(nlohmann::ordered_json& report, const io::Skipped& skipped) {
  if (skipped.is_empty()) return;
  const auto add = [&report](const std::vector<std::string>& paths, const char* reason) {
    for (const std::string& path : paths) {
      report["skipped"].push_back({{"path", path}, {"reason", reason}});
    }
  };
  add(skipped.no_pictures, "no picture");
  add(skipped.raw, "no format and size");
  add(skipped.folders, "a folder");
}

std::string skipped_line(const io::Skipped& skipped) { return "skipped: " + skipped.text(); }

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
