#include "warpwise/lab/exercise/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/exercise/faults.hpp"
#include "warpwise/lab/exercise/figures.hpp"
#include "warpwise/lab/exercise/said.hpp"
#include "warpwise/lab/exercise/source.hpp"
#include "warpwise/lab/explain/gpu/gpu_probe.hpp"
#include "warpwise/lab/explain/launch/arguments.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/study/table/expression.hpp"

namespace warpwise::lab {
namespace {

using ladders::Variables;

constexpr std::uint64_t device_bytes = std::uint64_t{1} << 30;
constexpr std::size_t most_log_lines = 12;
// Limit of a line of a compiler's message or of a source, when it is shown.
constexpr std::size_t most_line_columns = 500;

io::Picture no_texture(const std::string& path) {
  throw InvalidArgument(path + ": an exercise reads no files");
}

CompileOptions options_of_exercises() {
  CompileOptions options;
  options.compiler = CompilerChoice::nvrtc;  // nvcc, if installed, must not change the marks
  options.host_code = false;
  return options;
}

// The contents of each argument's memory after a launch. The entry of a scalar is empty.
using Results = std::vector<std::vector<std::byte>>;

// The result of a launch of a kernel, and the contents of its arguments after it.
struct Run {
  emulator::LaunchResult result;
  Results memory;
  std::uint64_t shared_bytes = 0;
};

struct Launchable {
  emulator::Program program;
  std::string kernel;  // mangled name
};

Launchable launchable(const std::string& ptx, const std::string& kernel) {
  Launchable made{emulator::Program(ptx), kernel_in(ptx, kernel)};
  made.program.kernel(made.kernel);
  return made;
}

struct LaunchShape {
  emulator::Dim3 grid;
  emulator::Dim3 block;
};

// Refuses a kernel whose shared arrays are too large for a GPU. PTX alone has no such limit.
void require_shared_memory(const emulator::KernelInfo& info) {
  constexpr std::uint64_t most = 48 * 1024;
  if (info.static_shared_bytes <= most) return;
  throw InvalidArgument(said("the kernel's __shared__ arrays have {} bytes; a block can declare {}",
                             info.static_shared_bytes, most));
}

Run run(Launchable& kernel, const Exercise& exercise, const Variables& size,
        const LaunchShape& shape, const emulator::LaunchOptions& options, std::uint64_t seed) {
  emulator::Device device(device_bytes);
  device.track_definedness();
  const emulator::KernelInfo& info = kernel.program.kernel(kernel.kernel);
  require_shared_memory(info);
  const Arguments arguments(device, info, arguments_of(exercise, size), no_texture, seed);
  Run run;
  run.shared_bytes = info.static_shared_bytes;
  run.result = kernel.program.launch(device, kernel.kernel, shape.grid, shape.block, 0,
                                     arguments.parameters(), options);
  for (std::size_t i = 0; i < exercise.arguments.size(); ++i)
    run.memory.push_back(arguments.bytes_of(i));
  return run;
}

// The names of ScalarType's values in CUDA C++, in its order.
constexpr std::array<std::string_view, 11> c_names = {
    "signed char", "unsigned char",      "short", "unsigned short", "int",   "unsigned",
    "long long",   "unsigned long long", "half",  "float",          "double"};

// Refuses a kernel whose parameters have other types than the arguments of the exercise.
void require_types(const emulator::KernelInfo& info, const Exercise& exercise) {
  const std::vector<ArgumentSpec> specs = arguments_of(exercise, exercise.sizes[0]);
  emulator::Device device(device_bytes);
  try {
    const Arguments fitting(device, info, specs, no_texture, 0);
  } catch (const InvalidArgument&) {
    std::string all;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      all += fmt::format(
          "{}{}{} {}", all.empty() ? "" : ", ", c_names.at(static_cast<std::size_t>(specs[i].type)),
          specs[i].kind == ArgumentSpec::Kind::buffer ? "*" : "", exercise.arguments[i].name);
    }
    throw InvalidArgument(
        said("the kernel's parameters have other types than the task's: {}({}), with or without "
             "const",
             exercise.kernel, all));
  }
}

void require_parameters(Launchable& kernel, const Exercise& exercise) {
  const emulator::KernelInfo& info = kernel.program.kernel(kernel.kernel);
  const std::size_t count = info.parameter_bytes.size();
  if (count == exercise.arguments.size()) {
    require_types(info, exercise);
    return;
  }
  std::string names;
  for (const NamedArgument& each : exercise.arguments)
    names += (names.empty() ? "" : ", ") + each.name;
  throw InvalidArgument(said("the kernel has {} parameters, and the task's has {}: {}({})", count,
                             exercise.arguments.size(), exercise.kernel, names));
}

// Refuses a kernel that launches other kernels, because their work would be neither counted nor
// checked. In PTX, such a launch calls a function of CUDA's runtime with the prefix __cudaCDP2.
void require_no_launches(const std::string& ptx) {
  if (ptx.find("__cudaCDP2") == std::string::npos) return;
  throw InvalidArgument(said(
      "the kernel calls CUDA's runtime, for a launch or a copy: leave the call out, since only "
      "the kernel's own work is counted"));
}

// Reads the block's shape that the kernel's file declares: __constant__ int block[2] = {X, Y};
emulator::Dim3 stated_block(Launchable& kernel) {
  emulator::Device device(device_bytes);
  std::uint64_t bytes = 0;
  std::array<std::int32_t, 2> block = {0, 0};
  emulator::Address address = 0;
  try {
    address = kernel.program.variable(device, "block", &bytes);
  } catch (const InvalidArgument&) {
    bytes = 0;  // the program has no such variable
  }
  if (bytes != sizeof(block))
    throw InvalidArgument(said("'block' must be declared as __constant__ int block[2]"));
  device.read(address, std::as_writable_bytes(std::span(block)));
  constexpr int most_threads = 1024;
  if (block[0] < 1 || block[1] < 1 || block[0] > most_threads || block[1] > most_threads ||
      block[0] * block[1] > most_threads) {
    throw InvalidArgument(
        said("a block of {}x{} threads is not possible: a block has 1 to 1024 threads", block[0],
             block[1]));
  }
  return {static_cast<std::uint32_t>(block[0]), static_cast<std::uint32_t>(block[1]), 1};
}

LaunchShape shape_of(const Exercise& exercise, Variables variables, Launchable& kernel) {
  LaunchShape shape;
  shape.block =
      exercise.block.empty() ? stated_block(kernel) : dimensions_in(exercise.block, variables);
  variables["block_x"] = shape.block.x;
  variables["block_y"] = shape.block.y;
  shape.grid = dimensions_in(exercise.grid, variables);
  return shape;
}

// Returns the launch shape of reference.cu, the plain kernel with one thread for each element.
LaunchShape shape_of_reference(const Exercise& exercise, const Variables& size) {
  constexpr std::int64_t threads = 128;
  const std::int64_t blocks = (evaluate(exercise.elements, size) + threads - 1) / threads;
  return {{static_cast<std::uint32_t>(blocks), 1, 1}, {threads, 1, 1}};
}

std::string first_lines(const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line) && count < most_log_lines; ++count)
    text += (text.empty() ? "" : "\n") + io::shortened(line, most_line_columns);
  return with_own_name(std::move(text));
}

// ---- Results

double number_at(ScalarType type, const std::byte* at) {
  const auto read = [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return static_cast<double>(value);
  };
  switch (type) {
    case ScalarType::i8: return read(std::int8_t{});
    case ScalarType::u8: return read(std::uint8_t{});
    case ScalarType::i16: return read(std::int16_t{});
    case ScalarType::u16: return read(std::uint16_t{});
    case ScalarType::i32: return read(std::int32_t{});
    case ScalarType::u32: return read(std::uint32_t{});
    case ScalarType::i64: return read(std::int64_t{});
    case ScalarType::u64: return read(std::uint64_t{});
    case ScalarType::f32: return read(float{});
    case ScalarType::f64: return read(double{});
    case ScalarType::f16: break;
  }
  throw InvalidArgument("an exercise cannot compare f16 results");
}

std::string place_of(std::uint64_t element, std::uint64_t row) {
  if (row == 0) return fmt::format("[{}]", element);
  return said("[{}] (row {}, column {})", element, element / row, element % row);
}

// Describes the first wrong element of an argument. Returns an empty text if all are right.
std::string first_wrong(const Exercise& exercise, std::size_t argument, const Variables& size,
                        const std::vector<std::byte>& actual,
                        const std::vector<std::byte>& expected) {
  const ScalarType type = arguments_of(exercise, size)[argument].type;
  const auto bytes = static_cast<std::size_t>(size_of(type));
  const bool is_rounded = is_float(type) && exercise.tolerance > 0;
  const auto row = static_cast<std::uint64_t>(evaluate(exercise.row, size));
  for (std::size_t at = 0; at < expected.size(); at += bytes) {
    if (std::memcmp(&actual[at], &expected[at], bytes) == 0) continue;
    const double is = number_at(type, &actual[at]);
    const double should = number_at(type, &expected[at]);
    if (is_rounded && std::abs(is - should) <= exercise.tolerance * std::abs(should)) continue;
    const auto shown = [&](double value) {
      return is_float(type) ? fmt::format("{:.9g}", value) : fmt::format("{:.0f}", value);
    };
    return said("{}{} is {}; the right value is {}", exercise.arguments[argument].name,
                place_of(at / bytes, row), shown(is), shown(should));
  }
  return "";
}

std::string first_wrong(const Exercise& exercise, const Variables& size, const Results& actual,
                        const Results& expected) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const std::string wrong = first_wrong(exercise, i, size, actual[i], expected[i]);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// Returns true if a fault ends the kernel before it has a result.
bool ends_kernel(const emulator::Fault& fault) {
  using Kind = emulator::FaultKind;
  return fault.kind == Kind::budget || fault.kind == Kind::deadlock ||
         fault.kind == Kind::livelock || fault.kind == Kind::trap ||
         fault.kind == Kind::assertion || fault.kind == Kind::bad_call ||
         fault.kind == Kind::stack_overflow;
}

// ---- All marks

// A fault of a kernel in words.
struct Finding {
  std::string text;
  int line = 0;
  std::vector<std::string> hints;
};

// The findings of a kernel's runs at all sizes.
struct Runs {
  std::vector<std::string> wrong;     // a sentence for each size with a wrong result
  std::string right;                  // the sizes whose result is right
  std::optional<Finding> end;         // the first fault that ended a run early
  std::optional<Finding> fault;       // the first fault that did not end a run
  const Variables* failed = nullptr;  // the first size that failed in any way
  std::optional<Run> counted;         // the run at the first size
};

emulator::LaunchOptions options_of(bool count) {
  emulator::LaunchOptions options;
  options.count = count;
  if (count) options.compute_capabilities = {{9, 0}};
  options.budget = exercise_budget;
  options.checks = emulator::Checks::all();
  // Runs the launch twice, the second time with the order of blocks and warps reversed. A result
  // that is right only in one order is then found.
  options.orders = 2;
  options.threads = 1;
  // The interpreter is used because it makes no machine code from a stranger's kernel.
  options.engine = emulator::Engine::interpreter;
  return options;
}

Finding found_in(const emulator::Fault& fault, const Exercise& exercise, const Variables& size) {
  return {to_text(size) + ": " + fault_text(exercise, size, fault), own_place(fault).line,
          fault_hints(exercise, fault)};
}

// Runs a kernel at a size, and adds the findings to `runs`.
void run_at(const Variables& size, Launchable& kernel, const Exercise& exercise,
            const Results& expected, std::uint64_t seed, Runs& runs) {
  const bool is_first = &size == &exercise.sizes[0];
  Run now =
      run(kernel, exercise, size, shape_of(exercise, size, kernel), options_of(is_first), seed);
  bool has_failed = !now.result.faults.empty();
  for (const emulator::Fault& fault : now.result.faults) {
    std::optional<Finding>& first = ends_kernel(fault) ? runs.end : runs.fault;
    if (!first) first = found_in(fault, exercise, size);
  }
  if (!runs.end) {
    const std::string wrong = first_wrong(exercise, size, now.memory, expected);
    has_failed = has_failed || !wrong.empty();
    if (wrong.empty())
      runs.right += (runs.right.empty() ? "" : "; ") + to_text(size);
    else
      runs.wrong.push_back(to_text(size) + ": " + wrong);
  }
  if (runs.failed == nullptr && has_failed) runs.failed = &size;
  if (is_first) runs.counted = std::move(now);
}

Runs run_all(Launchable& kernel, const Exercise& exercise, const std::vector<Results>& expected,
             std::uint64_t seed) {
  Runs runs;
  for (std::size_t i = 0; i < exercise.sizes.size() && !runs.end; ++i) {
    try {
      run_at(exercise.sizes[i], kernel, exercise, expected[i], seed, runs);
    } catch (const Error& error) {
      runs.end = {first_lines(error.what()),
                  0,
                  {said("Keep the block as the task states it, and within the limits of a GPU.")}};
    }
  }
  return runs;
}

// The source that is marked.
struct Source {
  std::string text;

  // Returns the seed of the inputs: the text's FNV-1a hash. Each source thus gets other inputs.
  std::uint64_t seed() const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
  }
  // Returns the text of a line, or nothing for line 0.
  std::string shown(int line) const {
    std::istringstream lines(text);
    std::string found;
    for (int i = 0; i < line && lines; ++i) std::getline(lines, found);
    if (found.ends_with('\r')) found.pop_back();  // of a line end of Windows
    const std::size_t begin = found.find_first_not_of(" \t");
    if (!lines || begin == std::string::npos) return "";
    return "  " + io::shortened(std::string_view(found).substr(begin), most_line_columns);
  }
};

Mark passed(std::string_view name, std::string text) {
  return {std::string(name), MarkState::passed, std::move(text), "", {}};
}
Mark failed(std::string_view name, std::string text, std::vector<std::string> hints = {},
            std::string shown = "") {
  return {std::string(name), MarkState::failed, std::move(text), std::move(shown),
          std::move(hints)};
}

// Runs the kernel again with modelled time, and returns the mean cycles of a block.
// \throws Error  the result is wrong in this run only: it depends on the order of the warps
double modelled_cycles(Launchable& kernel, const Exercise& exercise, const Results& expected,
                       std::uint64_t seed, const emulator::PaceModel& pace) {
  const Variables& size = exercise.sizes[0];
  emulator::LaunchOptions options;
  options.compute_capabilities = {{9, 0}};
  options.budget = exercise_budget;
  options.pace = pace;
  const Run paced = run(kernel, exercise, size, shape_of(exercise, size, kernel), options, seed);
  const std::string wrong = first_wrong(exercise, size, paced.memory, expected);
  if (!wrong.empty()) throw Error(wrong);
  return paced.result.pace.block_cycles / static_cast<double>(paced.result.blocks);
}

Mark mark_of(const Gate& gate, const std::string& element, double value, int line) {
  const bool holds = gate.is_least ? value >= gate.limit : value <= gate.limit;
  const std::string text = said(gate.is_least ? "{}{} {} (at least {})" : "{}{} {} (at most {})",
                                holds ? "" : at_line(line), to_text(value),
                                words_of(gate.figure, element), to_text(gate.limit));
  return holds ? passed(name_of(gate.figure), text)
               : failed(name_of(gate.figure), text, gate.hints);
}

Mark timed_mark(const Gate& gate, const std::function<double()>& time_on_gpu) {
  try {
    return mark_of(gate, "", time_on_gpu(), 0);
  } catch (const Error& error) {
    return {std::string(name_of(gate.figure)),
            MarkState::skipped,
            said("not timed: {}", error.what()),
            "",
            {}};
  }
}

std::string explain_options(const Exercise& exercise, const Variables& size,
                            const LaunchShape& shape) {
  std::string text = fmt::format("--kernel {} --grid {},{} --block {},{}", exercise.kernel,
                                 shape.grid.x, shape.grid.y, shape.block.x, shape.block.y);
  for (const ArgumentSpec& each : arguments_of(exercise, size))
    text += fmt::format(" --arg '{}'", each.text);
  return text;
}

// Marks every gate as failed, except that a gate on the time on a GPU is skipped.
void fail_gates(const Exercise& exercise, const std::string& why, Marks& marks) {
  for (const Gate& gate : exercise.gates) {
    const bool is_timed = gate.figure == Figure::gpu_time_ratio;
    marks.marks.push_back({std::string(name_of(gate.figure)),
                           is_timed ? MarkState::skipped : MarkState::failed,
                           said("not counted: {}", why),
                           "",
                           {}});
  }
}

// Runs the reference at all sizes. \throws InvalidArgument  the reference has a fault
std::vector<Results> expected_results(const std::string& ptx, const Exercise& exercise,
                                      std::uint64_t seed) {
  Launchable reference = launchable(ptx, exercise.kernel);
  std::vector<Results> expected;
  for (const Variables& size : exercise.sizes) {
    emulator::LaunchOptions options = options_of(false);
    options.budget *= 10;
    options.orders = 1;
    Run now = run(reference, exercise, size, shape_of_reference(exercise, size), options, seed);
    if (!now.result.faults.empty())
      throw InvalidArgument((exercise.folder / "reference.cu").string() + ": " +
                            fault_text(exercise, size, now.result.faults[0]));
    expected.push_back(std::move(now.memory));
  }
  return expected;
}

}  // namespace

int Marks::passed() const {
  return static_cast<int>(std::ranges::count(marks, MarkState::passed, &Mark::state));
}
int Marks::all() const {
  return static_cast<int>(marks.size() -
                          std::ranges::count(marks, MarkState::skipped, &Mark::state));
}
const Mark* Marks::first_failed() const {
  const auto found = std::ranges::find(marks, MarkState::failed, &Mark::state);
  return found == marks.end() ? nullptr : &*found;
}

Checker::Checker(Exercise exercise)
    : exercise_(std::move(exercise)), toolchain_(find_toolchain()),
      pace_(find_device_profile("h200").pace(1)) {
  const std::filesystem::path file = exercise_.folder / "reference.cu";
  const std::optional<std::string> text = read_text(file);
  if (!text) throw IoError(file.string() + " cannot be read");
  const Compilation compiled =
      compile_text(*text, file.string(), options_of_exercises(), toolchain_);
  compiler_ = compiled.compiler;
  reference_ = compiled.ptx;
  toolchain_.include_folders.clear();  // a student's file may include no toolkit header
}

Marks Checker::check(const std::string& text, const std::function<double()>& time_on_gpu) const {
  const Source source{text};
  const std::uint64_t seed = source.seed();
  const std::vector<Results> expected = expected_results(reference_, exercise_, seed);
  Marks marks;
  std::optional<Launchable> kernel;
  try {
    require_alone(text);
    const Compilation compiled =
        compile_text(text, source_name, options_of_exercises(), toolchain_);
    require_no_launches(compiled.ptx);
    kernel = launchable(compiled.ptx, exercise_.kernel);
    require_parameters(*kernel, exercise_);
    marks.marks.push_back(passed("compiles", said("it compiles")));
  } catch (const CompileError& error) {
    marks.marks.push_back(
        failed("compiles", first_lines(error.log()),
               {said("Read the first message: it names the line. The file holds kernels alone: "
                     "main() and launches stay out.")}));
  } catch (const Error& error) {
    marks.marks.push_back(failed(
        "compiles", first_lines(error.what()),
        {said("Keep the kernel's name and parameters as the task states them, and include no "
              "other file.")}));
  }
  if (marks.first_failed() != nullptr) {
    for (const char* name : {"runs", "checks", "result"})
      marks.marks.push_back(failed(name, said("not run")));
    fail_gates(exercise_, said("it was not run"), marks);
    return marks;
  }

  const Runs runs = run_all(*kernel, exercise_, expected, seed);
  const std::size_t sizes = exercise_.sizes.size();
  if (runs.end)
    marks.marks.push_back(
        failed("runs", runs.end->text, runs.end->hints, source.shown(runs.end->line)));
  else
    marks.marks.push_back(passed("runs", said("it runs to its end at {} sizes", sizes)));
  if (runs.fault)
    marks.marks.push_back(
        failed("checks", runs.fault->text, runs.fault->hints, source.shown(runs.fault->line)));
  else if (runs.end)
    marks.marks.push_back(failed("checks", said("not run to its end")));
  else
    marks.marks.push_back(passed("checks", said("the checks find no fault")));
  if (runs.end)
    marks.marks.push_back(failed("result", said("not run to its end")));
  else if (runs.wrong.empty())
    marks.marks.push_back(passed("result", said("the result is right at {} sizes", sizes)));
  else
    marks.marks.push_back(failed(
        "result", said("wrong at {} of {} sizes. {}", runs.wrong.size(), sizes, runs.wrong[0]),
        exercise_.hints_wrong,
        runs.right.empty() ? "" : "  " + said("right at these sizes: {}", runs.right)));
  if (!runs.counted) {
    fail_gates(exercise_, said("not run to its end"), marks);
    return marks;
  }
  const Variables& counted_size = exercise_.sizes[0];
  const LaunchShape shape = shape_of(exercise_, counted_size, *kernel);
  marks.prints = !runs.counted->result.printed.empty();
  const Variables& shown = runs.failed != nullptr ? *runs.failed : counted_size;
  marks.explain = explain_options(exercise_, shown, shape_of(exercise_, shown, *kernel)) +
                  (runs.fault ? " --check all" : "");
  if (runs.end || !runs.wrong.empty()) {
    fail_gates(exercise_, runs.end ? said("not run to its end") : said("the result is wrong"),
               marks);
    return marks;
  }
  CountedLaunch launch{runs.counted->result};
  launch.elements = static_cast<double>(evaluate(exercise_.elements, counted_size));
  launch.threads = static_cast<int>(shape.block.count());
  launch.shared_bytes = runs.counted->shared_bytes;
  for (const Gate& gate : exercise_.gates) {
    if (gate.figure == Figure::gpu_time_ratio) {
      marks.marks.push_back(timed_mark(gate, time_on_gpu));
      continue;
    }
    try {
      if (gate.figure == Figure::block_cycles)
        launch.block_cycles = modelled_cycles(*kernel, exercise_, expected[0], seed, pace_);
    } catch (const Error& error) {
      marks.marks.push_back(
          failed(name_of(gate.figure), said("not counted: {}", error.what()),
                 {said("The kernel's result depends on timing: do not read clocks.")}));
      continue;
    }
    const Counted value = counted(gate.figure, launch);
    Mark mark = mark_of(gate, exercise_.element, value.value, value.line);
    if (mark.state == MarkState::failed) {
      const std::string counts = counts_of(gate.figure, launch, value.line);
      mark.shown = source.shown(value.line) + (counts.empty() ? "" : "\n  " + counts);
    }
    marks.marks.push_back(std::move(mark));
  }
  return marks;
}

double time_ratio_on_gpu(const Exercise& exercise, const std::filesystem::path& file) {
  GpuProbe probe;
  const auto median = [&](const std::filesystem::path& source, bool is_reference) {
    const Variables& size = exercise.timed_size;
    Compilation compiled = compile_file(source, options_of_exercises());
    Launchable kernel = launchable(compiled.ptx, exercise.kernel);
    ExplainRequest request;
    request.file = source.string();
    request.kernel = exercise.kernel;
    request.compile = options_of_exercises();
    const LaunchShape shape =
        is_reference ? shape_of_reference(exercise, size) : shape_of(exercise, size, kernel);
    request.grid = shape.grid;
    request.block = shape.block;
    request.arguments = arguments_of(exercise, size);
    const Explanation explained = explain(request, no_texture, &probe);
    if (!explained.gpu || !explained.gpu->times)
      throw Error(explained.gpu ? explained.gpu->why_not + explained.gpu->why_no_times : "no GPU");
    return explained.gpu->times->cold.median_us;
  };
  return median(file, false) / median(exercise.folder / "reference.cu", true);
}

}  // namespace warpwise::lab
