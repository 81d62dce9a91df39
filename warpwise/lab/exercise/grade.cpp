#include "warpwise/lab/exercise/grade.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/junit.hpp"
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/exercise/said.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

std::string json_text(const Marks& marks) {
  nlohmann::json json = nlohmann::json::array();
  for (const Mark& each : marks.marks)
    json.push_back({each.name, std::string(name_of(each.state)), each.text});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Reads the marks that a process sent, and checks their form. A source that takes over the process
// through a defect of the compiler could still send false marks.
Marks marks_in(const std::string& text, const Exercise& exercise) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array() || json.size() != marks_before_gates + exercise.gates.size())
    throw Error(said("the process gave no marks"));
  Marks marks;
  for (const nlohmann::json& each : json) {
    if (!each.is_array() || each.size() != 3 ||
        !std::ranges::all_of(each, [](const auto& part) { return part.is_string(); }))
      throw Error(said("the process gave no marks"));
    const auto state = value_named<MarkState>(each[1].get<std::string>());
    if (!state) throw Error(said("the process gave no marks"));
    marks.marks.push_back({each[0], *state, each[2], "", {}});
  }
  return marks;
}

double never_timed() { throw NoCudaDevice(said("grade runs kernels only in the emulator")); }

// Returns true if a folder has exercise.txt or kernel.cu. The report has a line for a folder with
// only one of these files. The line says why the folder has no marks.
bool is_exercise(const fs::path& folder) {
  return is_there(folder / started_file) || is_there(folder / kernel_file);
}

// Returns one path for all names of a folder, such as "ada" and "./ada/". A link to it is another
// folder: it may be another student's.
fs::path only_path_of(const fs::path& folder) {
  return fs::absolute(folder / "").lexically_normal();
}

Graded graded_in(const fs::path& student, const fs::path& folder) {
  Graded graded;
  graded.student = student.string();
  graded.folder = folder;
  try {
    if (const auto started = started_in(folder))
      graded.exercise = started->exercise;
    else
      graded.failure = said("the folder has a kernel.cu, and no exercise.txt");
  } catch (const Error& error) {
    graded.failure = error.what();
  }
  return graded;
}

// Returns the report's line for a link in a student's folder. Nothing behind the link is read,
// since it may be another student's.
Graded linked_in(const fs::path& student, const fs::path& folder) {
  Graded graded;
  graded.student = student.string();
  graded.folder = folder;
  graded.failure = said("{} is a link, not a folder", folder.string());
  return graded;
}

// A folder whose kernel is being marked.
struct Job {
  Graded* graded = nullptr;
  const Checker* checker = nullptr;
  std::unique_ptr<Confined> process;
};

void finish(Job& job) {
  Graded& graded = *job.graded;
  graded.failure = job.process->failure();
  if (!graded.failure.empty()) return;
  try {
    graded.marks = marks_in(job.process->output(), job.checker->exercise());
  } catch (const Error& error) {
    graded.failure = error.what();
  }
}

// Returns a checker for each exercise that occurs in the folders, by the exercise's name.
std::map<std::string, std::unique_ptr<Checker>> checkers_of(std::vector<Graded>& all) {
  std::map<std::string, std::unique_ptr<Checker>> checkers;
  for (Graded& each : all) {
    if (!each.failure.empty() || checkers.contains(each.exercise)) continue;
    try {
      checkers[each.exercise] = std::make_unique<Checker>(find_exercise(each.exercise));
    } catch (const InvalidArgument& error) {
      each.failure = error.what();
    }
  }
  return checkers;
}

// Returns the number of an exercise's marks without a time on a GPU, which `grade` never marks.
int marks_of(const Exercise& exercise) {
  const auto timed = std::ranges::count(exercise.gates, Figure::gpu_time_ratio, &Gate::figure);
  return static_cast<int>(marks_before_gates + exercise.gates.size()) - static_cast<int>(timed);
}

// Formats a cell of CSV. A quote goes before a text that begins with = + - or @, since a
// spreadsheet would take it for a formula.
std::string cell(const std::string& text) {
  const bool is_formula = text.find_first_of("=+-@") == 0;
  return io::csv_field((is_formula ? "'" : "") + io::printable(text));
}

std::string why_not_all(const Graded& graded) {
  if (!graded.failure.empty()) return graded.failure;
  const Mark* const failed = graded.marks.first_failed();
  return failed == nullptr ? "" : failed->name + ": " + failed->text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::vector<Graded> graded_folders(const std::vector<fs::path>& folders) {
  std::vector<Graded> all;
  std::set<fs::path> seen;
  for (const fs::path& folder : folders) {
    std::error_code error;
    std::vector<fs::path> inside;
    if (is_exercise(folder)) {
      inside.push_back(folder);
    } else {
      for (const fs::directory_entry& each : fs::directory_iterator(folder, error)) {
        if (fs::is_directory(each.status(error)) && is_exercise(each.path()))
          inside.push_back(each.path());
      }
    }
    std::ranges::sort(inside);
    for (const fs::path& each : inside) {
      if (!seen.insert(only_path_of(each)).second) continue;
      const bool is_link = each != folder && fs::is_symlink(each, error);
      all.push_back(is_link ? linked_in(folder, each) : graded_in(folder, each));
    }
    if (inside.empty()) {
      Graded& none = all.emplace_back();
      none.student = folder.string();
      none.folder = folder;
      none.is_exercise = false;
      none.failure =
          !fs::is_directory(folder, error)
              ? said("there is no such folder")
              : said(
                    "the folder has no exercise.txt, nor a folder with one; name the folders of "
                    "students");
    }
  }
  return all;
}

std::string grade(std::vector<Graded>& all, const Limits& limits, int jobs,
                  const std::function<void(const Graded&)>& done) {
  const auto checkers = checkers_of(all);
  for (Graded& each : all) {
    const auto checker = checkers.find(each.exercise);
    if (checker != checkers.end()) each.all_marks = marks_of(checker->second->exercise());
  }
  std::string compiler;
  std::vector<Job> running;
  auto next = all.begin();
  while (next != all.end() || !running.empty()) {
    while (next != all.end() && static_cast<int>(running.size()) < jobs) {
      Graded& graded = *next++;
      const auto checker = checkers.find(graded.exercise);
      std::string source;
      try {
        if (graded.failure.empty()) source = student_file(graded.folder / kernel_file);
      } catch (const Error& error) {
        graded.failure = error.what();
      }
      if (!graded.failure.empty()) {
        done(graded);
        continue;
      }
      compiler = checker->second->compiler();
      const auto work = [&] { return json_text(checker->second->check(source, never_timed)); };
      running.push_back({&graded, checker->second.get(), std::make_unique<Confined>(work, limits)});
    }
    std::vector<pollfd> waiting;
    for (const Job& job : running)
      waiting.push_back({.fd = job.process->descriptor(), .events = POLLIN, .revents = 0});
    constexpr int until_a_limit_is_noticed_ms = 100;
    if (!waiting.empty()) ::poll(waiting.data(), waiting.size(), until_a_limit_is_noticed_ms);
    std::erase_if(running, [&](Job& job) {
      if (!job.process->poll()) return false;
      finish(job);
      done(*job.graded);
      return true;
    });
  }
  return compiler;
}

std::string csv_of(const std::vector<Graded>& all) {
  constexpr const char* byte_order_mark = "\xEF\xBB\xBF";
  std::string text =
      "student,folder,exercise,passed,of,compiles,runs,checks,result,gates,first_failure\r\n";
  for (const Graded& each : all) {
    text += cell(each.student) + "," + cell(each.folder.string()) + "," + cell(each.exercise) +
            "," +
            (each.failure.empty()  ? fmt::format("{},{}", each.marks.passed(), each.marks.all())
             : each.all_marks == 0 ? std::string("0,")
                                   : fmt::format("0,{}", each.all_marks));
    int gates = 0;
    for (std::size_t i = 0; i < each.marks.marks.size(); ++i) {
      const bool passed = each.marks.marks[i].state == MarkState::passed;
      if (i < marks_before_gates)
        text += passed ? ",1" : ",0";
      else
        gates += passed ? 1 : 0;
    }
    text += each.failure.empty() ? fmt::format(",{},", gates) : std::string(",0,0,0,0,0,");
    text += cell(first_line(why_not_all(each))) + "\r\n";
  }
  // Excel takes a table without this mark for one of the system's code page.
  const bool is_ascii = std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
  return is_ascii ? text : byte_order_mark + text;
}

std::string junit_of(const std::vector<Graded>& all) {
  namespace junit = emulator::junit;
  junit::Counts counts;
  std::string suites;
  for (const Graded& each : all) {
    junit::Suite suite{io::printable(each.folder.string()), {}};
    const auto add = [&](const std::string& name, const char* outcome, const std::string& message) {
      junit::Case& added = suite.cases.emplace_back();
      added.name = name;
      added.group = suite.name;
      added.outcome = outcome;
      if (!added.outcome.empty()) added.message = io::printable(message, "\n");
    };
    if (!each.failure.empty()) add("marked", "error", each.failure);
    for (const Mark& mark : each.marks.marks)
      add(mark.name,
          mark.state == MarkState::failed    ? "failure"
          : mark.state == MarkState::skipped ? "skipped"
                                             : "",
          mark.text);
    counts += junit::counts_of(suite);
    suites += junit::element_of(suite);
  }
  return junit::file_of(counts, suites);
}

}  // namespace warpwise::lab
