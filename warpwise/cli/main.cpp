// The command `warpwise`. Exit codes: 0 done, 1 could not be done, 2 called wrongly.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <new>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/io/output_file.hpp"

namespace {

using namespace warpwise;
using namespace warpwise::cli;

constexpr int failed = 1;
constexpr int bad_usage = 2;

int fail(int code, const std::string& message) {
  print_error("warpwise: " + message);
  return code;
}

// A descriptor that the caller closed would be given to the next file, and messages would go there.
void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  }
}

extern "C" void stop_on_signal(int signal) {
  io::remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void set_up_process() {
  open_standard_descriptors();
  // OpenBLAS, which OpenCV's codecs bring and nothing here calls, starts a thread for each core
  // when it is loaded. Where memory is limited they do not start, and it waits for them at the end.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  // A reader that went away and a file that is too large are errors of write().
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : io::ending_signals) {
    if (std::signal(signal, stop_on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

int run(int argc, char** argv) {
  CLI::App app("Fast image primitives with identical results on GPU and CPU.", "warpwise");
  app.set_version_flag("--version", "warpwise " WARPWISE_VERSION);
  app.require_subcommand(1);
  std::map<std::string, std::unique_ptr<Command>> commands;
  commands["convert"] = add_convert(app);
  commands["sobel"] = add_sobel(app);
  commands["threshold"] = add_threshold(app);
  commands["match"] = add_match(app);
  commands["disparity"] = add_disparity(app);
  commands["find"] = add_find(app);
  commands["track"] = add_track(app);
  commands["gemv"] = add_gemv(app);
  commands["explain"] = add_explain(app);
  commands["lab"] = add_lab(app);
  commands["devices"] = add_devices(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_text) {
    std::ostringstream text;
    app.exit(asked_for_text, text, text);
    print(text.str());
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) {
      throw UsageError(
          "a subcommand is needed: convert, sobel, threshold, match, disparity, find, track, gemv, "
          "explain, lab or devices" +
          (argc > 1 ? fmt::format(", not '{}'", argv[1]) : ""));
    }
    std::string reason = error.what();
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw UsageError(fmt::format("{} (see warpwise {} --help)", reason, chosen[0]->get_name()));
  }
  commands.at(app.get_subcommands()[0]->get_name())->execute();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    return fail(bad_usage, error.what());
  } catch (const InvalidArgument& error) {
    return fail(bad_usage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(failed, "there is not enough memory for a picture of this size");
  } catch (const std::exception& error) {
    return fail(failed, error.what());
  }
}
