// `warpwise lab exercise`: gives students kernels to mend, and marks what they hand in.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <thread>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/quoted.hpp"
#include "warpwise/cli/terminal.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/exercise/check.hpp"
#include "warpwise/lab/exercise/grade.hpp"
#include "warpwise/lab/exercise/said.hpp"
#include "warpwise/lab/report/words/korean.hpp"

namespace warpwise::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto spoken_languages = all_values<lab::report::Language>();

// A command with the option --lang, which chooses the language of its messages.
class Speaking : public Command {
 public:
  explicit Speaking(CLI::App& app) {
    add_choice(app, "--lang", "Language of messages (default: en)", spoken_languages, language_);
  }
  void execute() const final {
    lab::report::speak(language_);
    work();
  }

 private:
  virtual void work() const = 0;
  lab::report::Language language_ = lab::report::Language::english;
};

lab::Started started_at(const fs::path& folder) {
  if (const auto started = lab::started_in(folder)) return *started;
  throw InvalidArgument(lab::said(
      "{} holds no exercise: run this in a folder that \"warpwise lab exercise start NAME "
      "FOLDER\" made, or name that folder",
      folder.string()));
}

// Returns the command line that runs a subcommand of `lab exercise` on a folder.
std::string command_for(const char* verb, const std::string& folder) {
  return fmt::format("warpwise lab exercise {}{}", verb, folder == "." ? "" : " " + quoted(folder));
}

// Prints a text that may quote a student's file, so control characters are escaped.
void print_text(const std::string& text) { print(io::printable(text, "\n\t") + "\n"); }

std::string line_of(const lab::Mark& mark) {
  std::string text = lab::said(mark.state == lab::MarkState::passed    ? "ok      "
                               : mark.state == lab::MarkState::skipped ? "skipped "
                                                                       : "TO DO   ");
  for (const char c : mark.text) text += c == '\n' ? "\n        " : std::string(1, c);
  return text;
}

std::string sum_of(const lab::Marks& marks) {
  return lab::said("{} of {}", marks.passed(), marks.all());
}

lab::Marks marks_of(const fs::path& folder, const lab::Exercise& exercise) {
  const fs::path file = folder / lab::kernel_file;
  const std::string source = lab::student_file(file);
  const lab::Checker checker(exercise);
  return checker.check(source, [&] { return lab::time_ratio_on_gpu(exercise, file); });
}

class List final : public Speaking {
 public:
  using Speaking::Speaking;

 private:
  void work() const override {
    std::map<std::string, lab::Started> here;  // key: the exercise's name
    const auto look = [&](const fs::path& folder) {
      try {
        if (const auto started = lab::started_in(folder)) here.emplace(started->exercise, *started);
      } catch (const Error&) {
        // The exercise.txt in this folder belongs to another program.
      }
    };
    std::set<fs::path> folders;  // sorted: the first folder of an exercise counts
    std::error_code ignored;
    for (const auto& each : fs::directory_iterator(".", ignored)) folders.insert(each.path());
    look(".");
    for (const fs::path& each : folders) look(each);
    std::string text;
    for (const lab::Exercise& each : lab::all_exercises()) {
      const auto started = here.find(each.name);
      const std::string state = started == here.end()           ? ""
                                : started->second.marks.empty() ? lab::said("started")
                                                                : started->second.marks;
      text += fmt::format("{:<12} {:<8} {}\n", each.name, state, each.title);
    }
    print(io::printable(text, "\n"));
  }
};

class Start final : public Speaking {
 public:
  explicit Start(CLI::App& app) : Speaking(app) {
    app.add_option("NAME", name_, "Exercise, of lab exercise list")->required()->type_name("");
    app.add_option("FOLDER", folder_, "Folder to make (default: the exercise's name)")
        ->check(refuse_empty_name)
        ->type_name("");
  }

 private:
  void work() const override {
    const lab::Exercise exercise = lab::find_exercise(name_);
    const std::string folder = folder_.empty() ? name_ : folder_;
    lab::start(exercise, folder);
    print_line(fmt::format("{}: {}", name_, exercise.title));
    print_line(lab::said(
        "Read {0}/task.md (한국어: {0}/task.ko.md), change {0}/kernel.cu, and run \"{1}\".", folder,
        command_for("check", folder)));
  }

  std::string name_;
  std::string folder_;
};

// A command that works on a folder made by `lab exercise start`.
class InFolder final : public Speaking {
 public:
  using Work = void (*)(const std::string& folder, const lab::Exercise& exercise);
  InFolder(CLI::App& app, Work work) : Speaking(app), work_(work) {
    app.add_option("FOLDER", folder_, "Folder that start made (default: this one)")
        ->check(refuse_empty_name)
        ->type_name("");
  }

 private:
  void work() const override { work_(folder_, lab::find_exercise(started_at(folder_).exercise)); }

  std::string folder_ = ".";
  Work work_;
};

// Stores `started` in the folder. Returns false if the folder cannot be written.
bool remembers(const std::string& folder, const lab::Started& started) {
  try {
    lab::keep(folder, started);
    return true;
  } catch (const IoError&) {
    return false;
  }
}

void check(const std::string& folder, const lab::Exercise& exercise) {
  const lab::Marks marks = marks_of(folder, exercise);
  print_text(fmt::format("{}: {}", exercise.name, exercise.title));
  for (const lab::Mark& each : marks.marks) print_text(line_of(each));
  lab::Started started = started_at(folder);
  started.marks = sum_of(marks);
  remembers(folder, started);
  if (marks.first_failed() == nullptr) {
    print_line(lab::said("All {} marks.", marks.all()));
    return;
  }
  if (!marks.explain.empty())
    print_line(lab::said(
        marks.prints ? "Its counts, line by line, and what it prints: {}"
                     : "Its counts, line by line: {}",
        fmt::format("warpwise explain {} {}",
                    quoted((fs::path(folder) / lab::kernel_file).string()), marks.explain)));
  throw Error(lab::said("{} marks; \"{}\" says what to do next", sum_of(marks),
                        command_for("hint", folder)));
}

// Returns a word for a mark and its hints. Two faults, such as a race and an index outside of an
// array, fail one mark with different hints. The word is the same in all languages: the Korean text
// of a hint that is Korean already is this hint.
std::string key_of(const lab::Mark& mark) {
  const std::string_view first =
      mark.hints.empty() ? std::string_view() : lab::report::korean_of(mark.hints[0]);
  return fmt::format("{}:{:x}", mark.name, std::hash<std::string_view>{}(first));
}

// Prints the first failed mark (a property that the kernel lacks), and hints for it. Each further
// call for the same mark and fault prints one more hint. If a mark has only one hint, this hint is
// the cure, so the first call leaves it out.
void hint(const std::string& folder, const lab::Exercise& exercise) {
  const lab::Marks marks = marks_of(folder, exercise);
  const lab::Mark* const next = marks.first_failed();
  if (next == nullptr) {
    print_line(lab::said("Nothing is left to do: {} marks.", sum_of(marks)));
    return;
  }
  print_text(next->text);
  if (!next->shown.empty()) print_text(next->shown);
  lab::Started started = started_at(folder);
  const std::string key = key_of(*next);
  if (started.hinted != key) started.hints = 0;
  started.hinted = key;
  const std::size_t all = next->hints.size();
  std::size_t given = std::min(started.hints + (all > 1 ? 1 : 0), all);
  ++started.hints;
  if (!remembers(folder, started)) given = all;
  for (std::size_t i = 0; i < given; ++i) print_text(next->hints[i]);
  if (given < all)
    print_line(lab::said("\"{}\" again says more.", command_for("hint", folder)));
  else if (started.hints > all)
    print_line(lab::said("There are no more hints for this; \"{}\" prints a solution.",
                         command_for("solution", folder)));
}

void solution(const std::string& /*folder*/, const lab::Exercise& exercise) {
  print(lab::student_file(exercise.folder / "solution.cu"));
}

// A report file, or no file if the name is empty. It is opened before the grading, so that a wrong
// name is an error at once.
class Report {
 public:
  explicit Report(const std::string& file) {
    if (!file.empty()) file_.emplace(file);
  }
  void write(const std::string& text) {
    if (!file_) return;
    file_->write(std::as_bytes(std::span(text)));
    file_->finish();
  }

 private:
  std::optional<io::OutputFile> file_;
};

class Grade final : public Speaking {
 public:
  explicit Grade(CLI::App& app) : Speaking(app) {
    app.add_option("FOLDERS", folders_,
                   "Folders of exercises, or of students who have such folders in theirs")
        ->required()
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_option("--junit", junit_, "JUnit file to write")
        ->check(refuse_empty_name)
        ->type_name("FILE");
    app.add_option("--csv", csv_, "Table to write for a spreadsheet")
        ->check(refuse_empty_name)
        ->type_name("FILE");
    const auto add_number = [&](const char* name, const char* help, int& value, int most) {
      add_text_option(app, name, "N", help, [&value, name, most](const std::string& text) {
        value = static_cast<int>(parse_integer(name, text, 1, most));
      });
    };
    add_number("--seconds", "Limit of CPU time in seconds for each exercise (default: 60)",
               seconds_, 86400);
    add_number("--memory", "Limit of memory in MiB for each exercise (default: 3072)", memory_mib_,
               1 << 20);
    add_number("--jobs", "Exercises in progress at once (default: the CPU's cores)", jobs_, 1024);
  }

 private:
  void work() const override {
    std::vector<lab::Graded> all =
        lab::graded_folders(std::vector<fs::path>(folders_.begin(), folders_.end()));
    std::vector<NamedFile> outputs;
    if (!junit_.empty()) outputs.push_back({"--junit", junit_});
    if (!csv_.empty()) outputs.push_back({"--csv", csv_});
    require_outputs(outputs);
    Report junit(junit_);
    Report csv(csv_);
    const std::string missing = lab::refused_restrictions();
    if (!missing.empty())
      print_error(
          "warpwise: " +
          lab::said(
              "this system refuses some restrictions of the processes that compile kernels: {}",
              missing));
    const lab::Limits limits{std::chrono::seconds(seconds_), static_cast<std::uint64_t>(memory_mib_)
                                                                 << 20};
    const std::string compiler = lab::grade(all, limits, jobs_, [](const lab::Graded& each) {
      const lab::Mark* const failed = each.marks.first_failed();
      const std::string why = !each.failure.empty() ? each.failure
                              : failed != nullptr   ? failed->text
                                                    : "";
      print_line(fmt::format("{:<32} {:>8}  {}", io::printable(each.folder.string()),
                             each.failure.empty() ? sum_of(each.marks) : lab::said("no marks"),
                             io::printable(why.substr(0, why.find('\n')))));
    });
    junit.write(lab::junit_of(all));
    csv.write(lab::csv_of(all));
    const std::string count =
        all.size() == 1 ? lab::said("1 folder") : lab::said("{} folders", all.size());
    print_line(count + (compiler.empty() ? "" : ", " + lab::said("compiled by {}", compiler)));
    require_marked(all);
  }

  // Fails if a folder is missing, or if there is no exercise at all. Marks do not matter.
  static void require_marked(const std::vector<lab::Graded>& all) {
    const bool is_any = std::ranges::any_of(all, &lab::Graded::is_exercise);
    std::error_code ignored;
    for (const lab::Graded& each : all) {
      if (each.is_exercise || (is_any && fs::is_directory(each.folder, ignored))) continue;
      throw Error(lab::said("not marked: {}", each.folder.string() + ": " + each.failure));
    }
  }

  std::vector<std::string> folders_;
  std::string junit_;
  std::string csv_;
  int seconds_ = 60;
  int memory_mib_ = 3072;
  int jobs_ = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

class LabExercise final : public Command {
 public:
  explicit LabExercise(CLI::App& app) : app_(app) {
    app.require_subcommand(1);
    const auto add = [&](const char* name, const char* help) {
      return app.add_subcommand(name, help);
    };
    commands_["list"] =
        std::make_unique<List>(*add("list", "List the exercises, and what is done in this folder"));
    commands_["start"] = std::make_unique<Start>(
        *add("start", "Make a folder with an exercise's task and a kernel to mend"));
    commands_["check"] = std::make_unique<InFolder>(
        *add("check", "Mark a folder's kernel: its result, faults and counts"), check);
    commands_["hint"] = std::make_unique<InFolder>(*add("hint", "Say what to do next"), hint);
    commands_["solution"] =
        std::make_unique<InFolder>(*add("solution", "Print a solution"), solution);
    commands_["grade"] = std::make_unique<Grade>(
        *add("grade", "Mark the folders of a class, each in a confined process, for a teacher"));
  }

  void execute() const override { commands_.at(app_.get_subcommands()[0]->get_name())->execute(); }

 private:
  const CLI::App& app_;
  std::map<std::string, std::unique_ptr<Command>> commands_;
};

}  // namespace

std::unique_ptr<Command> add_lab_exercise(CLI::App& lab) {
  return std::make_unique<LabExercise>(
      *lab.add_subcommand("exercise", "Exercises: kernels to mend, marked by results and counts"));
}

}  // namespace warpwise::cli
