// Starts the program's process for `warpwise run`.

#include "warpwise/cli/run/run_process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/terminal.hpp"

namespace warpwise::cli {
namespace {

/// Returns the signals that this process blocks. All of them except SIGCHLD are forwarded to the
/// program. They do not include the signals by which a shell stops and continues jobs.
sigset_t forwarded_signals() {
  sigset_t signals;
  ::sigfillset(&signals);
  for (const int each : {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT}) ::sigdelset(&signals, each);
  return signals;
}

/// Waits for a process to end, and returns its status in the form of waitpid().
int wait_for(pid_t child, const sigset_t& signals) {
  for (;;) {
    siginfo_t signal{};
    if (::sigwaitinfo(&signals, &signal) < 0) continue;  // the process was stopped and continued
    // The terminal itself signals the program. Only signals from other processes must be forwarded.
    if (signal.si_signo != SIGCHLD && signal.si_code <= 0) ::kill(child, signal.si_signo);
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0)
      throw Error(std::string("the program's exit status is not known: ") + std::strerror(errno));
  }
}

}  // namespace

int run_and_wait(const lab::TemporaryFolder& folder, const std::function<void()>& exec_program) {
  const sigset_t signals = forwarded_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  // Resets SIGCHLD. The parent process may have made this process ignore it, and the program's end
  // would then go unnoticed.
  struct sigaction by_default{};
  by_default.sa_handler = SIG_DFL;
  struct sigaction ends_before{};
  ::sigaction(SIGCHLD, &by_default, &ends_before);
  const pid_t child = ::fork();
  if (child < 0) throw Error(std::string("no process can be started: ") + std::strerror(errno));
  if (child == 0) {
    // Ends the program if warpwise is killed, because nobody would then collect the reports.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sigaction(SIGCHLD, &ends_before, nullptr);
    ::sigprocmask(SIG_SETMASK, &folder.signals_before(), nullptr);
    try {
      exec_program();
    } catch (const std::exception& error) {
      print_error(std::string("warpwise: ") + error.what());
    }
    ::_exit(1);
  }
  const int status = wait_for(child, signals);
  // Discards a Ctrl-C that was meant for the program, so that the report is still made.
  timespec at_once{};
  while (::sigtimedwait(&signals, nullptr, &at_once) > 0) {
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return status;
}

[[noreturn]] void exit_as(int status) {
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

}  // namespace warpwise::cli
