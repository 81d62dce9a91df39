// `warpwise run --explain`: reports on a program's kernels after its end.

#include "warpwise/cli/run_explained.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/compile/subprocess.hpp"
#include "warpwise/lab/explain/program_report.hpp"
#include "warpwise/lab/report/kernel_page.hpp"

namespace warpwise::cli {
namespace {

/// Returns the signals that are blocked here and forwarded to the program. A shell's signals to
/// stop and continue jobs are left alone.
sigset_t forwarded_signals() {
  sigset_t signals;
  ::sigfillset(&signals);
  for (const int each : {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT}) ::sigdelset(&signals, each);
  return signals;
}

/// Waits for a process and returns its status, as waitpid() does.
int wait_for(pid_t child, const sigset_t& signals) {
  for (;;) {
    siginfo_t signal{};
    if (::sigwaitinfo(&signals, &signal) < 0) continue;  // interrupted by a stop and continue
    // The terminal signals the program itself; signals from a process must be forwarded.
    if (signal.si_signo != SIGCHLD && signal.si_code <= 0) ::kill(child, signal.si_signo);
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0)
      throw Error(std::string("the program's exit status is not known: ") + std::strerror(errno));
  }
}

/// Runs the program in the folder and returns its status.
int run_to_its_end(const lab::TemporaryFolder& folder, const std::function<void()>& become) {
  const sigset_t signals = forwarded_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  // The parent may have made this process ignore SIGCHLD, and then the program's end would go
  // unnoticed.
  struct sigaction by_default{};
  by_default.sa_handler = SIG_DFL;
  struct sigaction ends_before{};
  ::sigaction(SIGCHLD, &by_default, &ends_before);
  const pid_t child = ::fork();
  if (child < 0) throw Error(std::string("no process can be started: ") + std::strerror(errno));
  if (child == 0) {
    ::sigaction(SIGCHLD, &ends_before, nullptr);
    ::sigprocmask(SIG_SETMASK, &folder.signals_before(), nullptr);
    try {
      become();
    } catch (const std::exception& error) {
      fmt::print(stderr, "warpwise: {}\n", error.what());
    }
    ::_exit(1);
  }
  const int status = wait_for(child, signals);
  // Discards a Ctrl-C: it was for the program, and the report is still made.
  timespec at_once{};
  while (::sigtimedwait(&signals, nullptr, &at_once) > 0) {
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return status;
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

// Returns the program's own source files: those below the current folder.
std::map<std::string, std::string> sources_of(const lab::ProgramExplanation& explanation) {
  std::map<std::string, std::string> texts;
  for (const lab::Explanation& kernel : explanation.kernels) {
    for (const lab::SourceFile& each : kernel.sources) {
      if (each.lines.empty() || each.shown.starts_with('/')) continue;
      texts[each.shown] = fmt::format("{}\n", fmt::join(each.lines, "\n"));
    }
  }
  return texts;
}

std::string report_of(const lab::ProgramExplanation& explanation, const std::string& file) {
  if (file.ends_with(".html"))
    return lab::report::kernel_page(lab::json_of(explanation), sources_of(explanation));
  if (file.ends_with(".json")) {
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    return lab::json_of(explanation).dump(2, ' ', false, replace) + "\n";
  }
  return lab::text_of(explanation, file == "-" && ::isatty(STDOUT_FILENO) != 0);
}

}  // namespace

void require_explanation_place(const std::string& file) {
  if (!io::is_standard_output(file)) io::require_place(file);
}

void run_and_explain(const std::string& file, const lab::ExplainRequest& request, bool tells,
                     const std::function<void(const std::filesystem::path& record)>& become) {
  const int status = [&] {
    const lab::TemporaryFolder folder;
    const std::filesystem::path record = folder / "launches.json";
    const int ended = run_to_its_end(folder, [&] { become(record); });
    std::error_code ignored;
    if (!std::filesystem::exists(record, ignored)) {
      fmt::print(stderr, "warpwise: nothing to explain: the program did not end normally\n");
      return ended;
    }
    const lab::ProgramExplanation explanation = lab::explain_program(record, request);
    const std::string text = report_of(explanation, file);
    io::OutputFile out(file);
    out.write(std::as_bytes(std::span(text)));
    out.finish();
    const std::string line = lab::line_of(explanation);
    if (tells && !line.empty() && !io::is_standard_output(file))
      print_error(fmt::format("warpwise: {}: {}", file, line));
    return ended;
  }();
  end_as(status);
}

}  // namespace warpwise::cli
