#include "warpwise/lab/exercise/exercise.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <sstream>
#include <tuple>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/exercise/said.hpp"
#include "warpwise/lab/report/words/words.hpp"
#include "warpwise/lab/study/table/expression.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"
#include "warpwise/lab/study/table/table_fields.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using ladders::Variables;

constexpr const char* table_file = "exercise.json";
constexpr std::size_t largest_file = std::size_t{1} << 20;

fs::path exercises_folder() { return source_root() / "warpwise/exercises"; }

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const fs::directory_entry& each : fs::directory_iterator(exercises_folder()))
    if (fs::exists(each.path() / table_file)) result.push_back(each.path().filename().string());
  return result;
}

std::string text_of(const fs::path& file) {
  if (std::optional<std::string> text = read_text(file)) return *std::move(text);
  throw IoError(file.string() + " cannot be read");
}

void write_file(const fs::path& file, const std::string& text) {
  io::OutputFile out(file.string());
  out.write(std::as_bytes(std::span(text)));
  out.finish();
}

// Replaces each {expression} in an argument's text by its value.
std::string expanded(const std::string& spec, const Variables& variables) {
  std::string result;
  for (std::size_t at = 0; at < spec.size();) {
    const std::size_t open = spec.find('{', at);
    const std::size_t close = spec.find('}', std::min(open, spec.size()));
    if (close == std::string::npos) return result + spec.substr(at);
    result += spec.substr(at, open - at) +
              std::to_string(evaluate(spec.substr(open + 1, close - open - 1), variables));
    at = close + 1;
  }
  return result;
}

NamedArgument argument_in(const std::string& text, const Fields& fields) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos)
    fields.fail(fmt::format("has the argument \"{}\"; \"NAME SPEC\" is expected", text));
  return {text.substr(0, blank), text.substr(blank + 1)};
}

std::vector<std::string> told_all(std::vector<std::string> texts) {
  for (std::string& each : texts) each = report::told(each);
  return texts;
}

Gate gate_in(const nlohmann::json& json, const std::string& place) {
  const Fields fields(json, place);
  fields.require_known(std::array<std::string, 4>{"figure", "most", "least", "hints"});
  Gate gate;
  gate.figure = fields.one_of("figure", fields.text("figure"), all_values<Figure>());
  gate.is_least = fields.has("least");
  if (gate.is_least == fields.has("most")) fields.fail("needs one of \"most\" and \"least\"");
  const auto& limit = fields.at(gate.is_least ? "least" : "most");
  if (!limit.is_number()) fields.fail("has a limit that is no number");
  gate.limit = limit.get<double>();
  gate.hints = told_all(fields.texts("hints"));
  return gate;
}

Exercise exercise_in(const nlohmann::json& json, const fs::path& folder) {
  const Fields fields(json, (folder / table_file).string());
  fields.require_known(std::array<std::string, 15>{
      "title", "lecture", "kernel", "arguments", "grid", "block", "elements", "element", "row",
      "tolerance", "sizes", "timed_size", "gates", "hints_wrong", "hints_race"});
  Exercise exercise;
  exercise.name = folder.filename().string();
  exercise.folder = folder;
  exercise.title = report::told(fields.text("title"));
  exercise.list_position = static_cast<int>(
      fields.numbers(nlohmann::json::array({fields.at("lecture")}), "lecture", 1)[0]);
  exercise.kernel = fields.text("kernel");
  for (const std::string& each : fields.texts("arguments"))
    exercise.arguments.push_back(argument_in(each, fields));
  exercise.grid = fields.expressions("grid");
  exercise.block = fields.expressions("block");
  exercise.elements = fields.expression(fields.at("elements"), "elements");
  exercise.element = report::told(fields.text("element", "pixel"));
  exercise.row = fields.expression_or("row", "0");
  exercise.tolerance = fields.positive("tolerance").value_or(0);
  for (const nlohmann::json& each : fields.list("sizes"))
    fields.read_variables(each, "sizes", exercise.sizes.emplace_back());
  exercise.timed_size = fields.variables("timed_size");
  for (const nlohmann::json& each : fields.list("gates"))
    exercise.gates.push_back(gate_in(each, fields.inside("gates")));
  exercise.hints_wrong = told_all(fields.texts("hints_wrong"));
  exercise.hints_race = told_all(fields.texts("hints_race"));
  if (exercise.sizes.empty()) fields.fail("has no sizes");
  if (exercise.grid.empty()) fields.fail("lacks the field \"grid\"");
  fields.within([&] { arguments_of(exercise, exercise.sizes[0]); });
  return exercise;
}

}  // namespace

std::vector<ArgumentSpec> arguments_of(const Exercise& exercise, const Variables& size) {
  std::vector<ArgumentSpec> result;
  for (const NamedArgument& each : exercise.arguments)
    result.push_back(parse_argument(expanded(each.spec, size)));
  return result;
}

emulator::Dim3 dimensions_in(const std::vector<std::string>& expressions,
                             const Variables& variables) {
  std::array<std::uint32_t, 3> extent = {1, 1, 1};
  for (std::size_t i = 0; i < std::min<std::size_t>(expressions.size(), 3); ++i) {
    const std::int64_t value = evaluate(expressions[i], variables);
    if (value < 1 || value > std::int64_t{1} << 31)
      throw InvalidArgument(
          fmt::format("{} is {}, but an extent is from 1 to 2^31", expressions[i], value));
    extent[i] = static_cast<std::uint32_t>(value);
  }
  return {extent[0], extent[1], extent[2]};
}

std::string to_text(const Variables& size) {
  std::string text;
  for (const auto& [name, value] : size)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

Exercise read_exercise(const fs::path& folder) {
  const fs::path file = folder / table_file;
  try {
    return exercise_in(parse_strictly(text_of(file), file.string()), folder);
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument(file.string() + ": " + error.what());
  }
}

std::vector<Exercise> all_exercises() {
  std::vector<Exercise> all;
  for (const std::string& name : names()) all.push_back(read_exercise(exercises_folder() / name));
  std::ranges::sort(all, [](const Exercise& a, const Exercise& b) {
    return std::tie(a.list_position, a.name) < std::tie(b.list_position, b.name);
  });
  return all;
}

Exercise find_exercise(std::string_view name) {
  const std::vector<std::string> all = names();
  if (std::ranges::find(all, name) != all.end()) return read_exercise(exercises_folder() / name);
  throw InvalidArgument(
      said("there is no exercise \"{}\"{}; \"warpwise lab exercise list\" lists them", name,
           suggestion(name, all)));
}

void start(const Exercise& exercise, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw InvalidArgument(said("{} is not empty; name a new folder", folder.string()));
  }
  fs::create_directories(folder, error);
  if (error) throw IoError(said("cannot make the folder {}: {}", folder.string(), error.message()));
  for (const char* page : {"task.md", "task.ko.md"})
    write_file(folder / page, text_of(exercise.folder / page));
  write_file(folder / kernel_file, text_of(exercise.folder / "start.cu"));
  keep(folder, {exercise.name, "", "", 0});
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::symlink_status(file, ignored).type() != fs::file_type::not_found;
}

std::optional<Started> started_in(const fs::path& folder) {
  if (!is_there(folder / started_file)) return std::nullopt;
  std::istringstream lines(student_file(folder / started_file));
  Started started;
  std::string line;
  std::getline(lines, line);
  // An editor of Windows adds a byte order mark and an '\r'.
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (line.ends_with('\r')) line.pop_back();
  const std::size_t blank = line.find(' ');
  started.exercise = line.substr(0, blank);
  constexpr std::size_t longest_name = 64;
  if (started.exercise.size() > longest_name)
    throw IoError(said("{} names no exercise", (folder / started_file).string()));
  if (blank != std::string::npos) started.marks = line.substr(blank + 1);
  lines >> started.hinted >> started.hints;
  return started;
}

void keep(const fs::path& folder, const Started& started) {
  std::string text = started.exercise + (started.marks.empty() ? "" : " ") + started.marks + "\n";
  if (!started.hinted.empty()) text += fmt::format("{} {}\n", started.hinted, started.hints);
  write_file(folder / started_file, text);
}

std::string student_file(const fs::path& path) {
  const auto refuse = [&](const char* why, const std::string& detail = "") {
    throw IoError(said(why, path.string(), detail));
  };
  // Other people made this folder. The call thus follows no link, and does not wait for a pipe.
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    refuse(errno == ELOOP ? "{} is a link, not a file" : "{} cannot be read: {}",
           std::strerror(errno));
  struct stat state{};
  const bool is_file = ::fstat(file, &state) == 0 && S_ISREG(state.st_mode);
  std::string text(largest_file + 1, '\0');
  std::size_t size = 0;
  ssize_t count = is_file ? 1 : 0;
  while (count > 0 && size < text.size()) {
    count = ::read(file, text.data() + size, text.size() - size);
    if (count > 0) size += static_cast<std::size_t>(count);
  }
  ::close(file);
  if (!is_file) refuse("{} is no regular file");
  if (count < 0) refuse("{} cannot be read: {}", std::strerror(EIO));
  text.resize(size);
  if (text.size() > largest_file) refuse("{} has more than 1 MiB");
  return text;
}

}  // namespace warpwise::lab
