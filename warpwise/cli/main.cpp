// The command `warpwise`. Exit codes: 0 success, 1 failure, 2 usage error.

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <map>
#include <new>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace {

using namespace warpwise;
using namespace warpwise::cli;

constexpr int failed = 1;
constexpr int bad_usage = 2;

int fail(int code, const std::string& message) {
  print_error("warpwise: " + message);
  return code;
}

// Opens /dev/null for each standard descriptor that is closed. Otherwise the next opened file would
// get that descriptor, and messages would go into the file. /dev/null is opened for the wrong
// direction: a read or write then fails, so that a lost result is an error.
void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    const int other_way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", other_way);
  }
}

extern "C" void stop_on_signal(int signal) {
  io::remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Makes malloc keep a picture's freed memory for the next picture. If memory is returned to the
// system, each page faults at its next use, and page faults of many threads wait for one another.
void keep_freed_memory() {
  constexpr int largest_that_is_kept = 32 << 20;  // glibc's maximum
  ::mallopt(M_MMAP_THRESHOLD, largest_that_is_kept);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void set_up_process() {
  open_standard_descriptors();
  keep_freed_memory();
  // OpenCV's codecs load OpenBLAS, which nothing here calls. When it is loaded, OpenBLAS starts a
  // thread for each core. If memory is limited, these threads cannot start, and OpenBLAS waits for
  // them forever at the program's end.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  // With SIGPIPE and SIGXFSZ ignored, the write() that would cause the signal returns an error.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : io::ending_signals) {
    if (std::signal(signal, stop_on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

// Returns the command's words with help requests rewritten: `warpwise` and `warpwise help` become
// `warpwise --help`, and `warpwise help lab run` becomes `warpwise lab run --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return {"--help"};
  if (words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

// Puts ./ before names in brackets. CLI11 would take the brackets for a list: [edges] would become
// edges, and [a,b] two names. Words of explain, lab and run are left as they are, because they may
// be arguments of a kernel or a program.
void keep_brackets(const CLI::App& subcommand, std::vector<std::string>& words) {
  if (words[0] == "explain" || words[0] == "lab" || words[0] == "run") return;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const CLI::Option* const option = subcommand.get_option_no_throw(words[i - 1]);
    const bool is_value = option != nullptr && option->get_items_expected_max() > 0;
    if (words[i].starts_with('[') && words[i].ends_with(']') && !is_value) words[i].insert(0, "./");
  }
}

void require_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands({})) names.push_back(each->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  throw UsageError(fmt::format("a subcommand is needed, not '{}'{}: {}", word,
                               lab::suggestion(word, names), fmt::join(names, ", ")));
}

// Suggests a similar option for the first word that looks like an option but is not known.
std::string similar_option(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const CLI::Option* each : app.get_options())
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("--") && std::ranges::find(names, name) == names.end())
      return lab::suggestion(name, names);
  }
  return "";
}

// Formats the help as CLI11 does, with one exception. A positional argument whose name has several
// words, such as "IN... OUT", is shown without the "..." that CLI11 would add.
class WholeNames final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return has_words(option) ? "" : Formatter::make_option_opts(option);
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    return has_words(option) ? make_option_name(option, true)
                             : Formatter::make_option_usage(option);
  }

 private:
  static bool has_words(const CLI::Option* option) {
    return option->get_positional() && option->get_name(true).find(' ') != std::string::npos;
  }
};

// The subcommands, in the order of the help.
struct Added {
  std::string_view name;
  std::unique_ptr<Command> (*add)(CLI::App&);
};
constexpr Added subcommands[] = {
    {"convert", add_convert},     {"sobel", add_sobel},
    {"threshold", add_threshold}, {"match", add_match},
    {"disparity", add_disparity}, {"find", add_find},
    {"track", add_track},         {"stream", add_stream},
    {"view", add_view},           {"gemv", add_gemv},
    {"explain", add_explain},     {"run", add_run},
    {"bench", add_bench},         {"lab", add_lab},
    {"devices", add_devices},
};

// Adds the subcommand that the first word names. If it names none, adds all subcommands,
// for the help and the messages. Adding all of them takes as long as reading a small
// picture.
std::map<std::string_view, std::unique_ptr<Command>> add_subcommands(CLI::App& app,
                                                                     const std::string& word) {
  std::map<std::string_view, std::unique_ptr<Command>> commands;
  const bool is_named = std::ranges::find(subcommands, word, &Added::name) != std::end(subcommands);
  for (const Added& each : subcommands) {
    if (!is_named || each.name == word) commands[each.name] = each.add(app);
  }
  return commands;
}

// Removes a "--" before the program that `run` starts. CLI11 would give the words after the "--" to
// the main command.
void drop_mark_of_program(const CLI::App& run, std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size() && words[i].starts_with('-'); ++i) {
    if (words[i] == "--") {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    const CLI::Option* const option = run.get_option_no_throw(words[i]);
    // Skips the value of an option.
    if (option != nullptr && option->get_items_expected_min() > 0) ++i;
  }
}

int run(int argc, char** argv) {
  CLI::App app("Fast image primitives with identical results on GPU and CPU.", "warpwise");
  app.formatter(std::make_shared<WholeNames>());
  app.set_version_flag("--version", "warpwise " WARPWISE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->label("Excludes", "not with");
  app.footer("warpwise help SUBCOMMAND shows its arguments and options.");
  std::vector<std::string> words = words_of(argc, argv);
  const std::map<std::string_view, std::unique_ptr<Command>> commands =
      add_subcommands(app, words[0]);
  if (words[0] == "run") drop_mark_of_program(*app.get_subcommand("run"), words);
  // Checks the subcommands' names here. For an unknown one, CLI11 would print the help of the
  // command before it.
  const CLI::App* behind = &app;
  std::string names;  // subcommands' names, which their help shows
  for (const std::string& word : words) {
    if (behind->get_subcommands({}).empty() || word.starts_with('-')) break;
    require_subcommand(*behind, word);
    behind = behind->get_subcommand(word);
    names += word + " ";
  }
  keep_brackets(*behind, words);
  try {
    // CLI11 takes the words in reverse order.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& asked_for_text) {
    std::ostringstream text;
    app.exit(asked_for_text, text, text);
    print(text.str());
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) require_subcommand(app, words[0]);
    std::string reason = error.what();
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw UsageError(
        fmt::format("{}{} (see warpwise {}--help)", reason, similar_option(*behind, words), names));
  }
  commands.at(app.get_subcommands()[0]->get_name())->execute();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A program that `run` starts must find signals, descriptors and variables unchanged.
  if (argc < 2 || std::string_view(argv[1]) != "run") set_up_process();
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
