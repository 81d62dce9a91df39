// Starts a program for `warpwise run`. It finds the emulated CUDA runtime instead of the real one.
// Environment variables pass the options to the runtime in all processes that the program starts.

#include <fmt/format.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/checks.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/outputs.hpp"
#include "warpwise/cli/run/joined_reports.hpp"
#include "warpwise/cli/run/run_explained.hpp"
#include "warpwise/cli/run/run_process.hpp"
#include "warpwise/cli/terminal.hpp"
#include "warpwise/emulator/checks.hpp"
#include "warpwise/emulator/engine_names.hpp"
#include "warpwise/emulator/suppressions.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/compile/subprocess.hpp"
#include "warpwise/lab/explain/programs/emulated_runtime.hpp"
#include "warpwise/lab/explain/programs/program_report.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view runtime_library = "libcudart.so.13";

// Searches for a program as execvp() does, but throws an error with the reason if there is none.
fs::path find_program(const std::string& name) {
  if (name.ends_with(".cu") && !lab::is_program(name) && fs::exists(name))
    throw Error(name + " is source code: compile it first, nvcc -lineinfo -o PROGRAM " + name);
  if (name.find('/') == std::string::npos) {
    const fs::path found = lab::in_search_path(name);
    if (!found.empty()) return found;
    throw Error(
        fmt::format("{}: there is no program of this name in PATH{}", name,
                    lab::is_program(name) ? fmt::format("; did you mean ./{}?", name) : ""));
  }
  if (lab::is_program(name)) return name;
  std::error_code error;
  const fs::file_status status = fs::status(name, error);
  if (!fs::exists(status)) throw Error(name + ": there is no such file");
  throw Error(name + (fs::is_directory(status) ? " is a folder, not a program"
                                               : " is not executable: chmod +x makes it so"));
}

// Returns the dynamic loader of this process. Other programs on this machine use the same one.
std::string loader() {
  std::string found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* result) {
        if (!fs::path(library->dlpi_name).filename().string().starts_with("ld-")) return 0;
        *static_cast<std::string*>(result) = library->dlpi_name;
        return 1;
      },
      &found);
  return found;
}

// Asks the loader which libraries the program would load, without running the program. Returns
// lines of the form "name => path (address)".
std::string libraries_of(const fs::path& program) {
  const lab::TemporaryFolder folder;
  return lab::run_program({loader(), "--list", program.string()}, folder).output;
}

// Returns the path of the first library in the loader's list whose name begins with `name`. Returns
// an empty text if there is none.
std::string place_of(const std::string& libraries, std::string_view name) {
  std::istringstream lines(libraries);
  constexpr std::string_view arrow = " => ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(fmt::format("\t{}", name))) continue;
    const std::size_t start = line.find(arrow) + arrow.size();
    return line.substr(start, line.rfind(" (") - start);
  }
  return "";
}

// Puts a part in front of the value of an environment variable, with a colon between them.
void put_in_front(const char* variable, const std::string& part) {
  const char* before = std::getenv(variable);
  const std::string others = before == nullptr || *before == 0 ? "" : fmt::format(":{}", before);
  ::setenv(variable, (part + others).c_str(), 1);
}

// Makes the program, and all processes that it starts, load libwarpwise_preload.so before all other
// libraries. It redirects the functions of the CUDA runtime to the emulated ones. It also keeps the
// PTX that NVRTC and nvJitLink compile.
void load_first(const fs::path& folder) {
  // LD_PRELOAD gets the path, because a script may replace LD_LIBRARY_PATH. A path with a space or
  // a colon would be split, so LD_PRELOAD gets the name instead.
  const std::string name = "libwarpwise_preload.so";
  const std::string path = (folder / name).string();
  put_in_front("LD_PRELOAD", path.find_first_of(" :") == std::string::npos ? path : name);
  // Triton and CuPy make PTX too, but would compile it to machine code without these variables.
  for (const char* variable : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"})
    ::setenv(variable, (folder / "ptxas").c_str(), 1);
  ::setenv("CUPY_COMPILE_WITH_PTX", "1", 1);
  ::setenv("CUPY_CACHE_SAVE_CUDA_SOURCE", "1", 1);  // keeps the source that reports of faults quote
  // Replaces nvcc by a script that makes PTX where machine code is requested. PyCUDA finds nvcc
  // through PATH, CuPy through NVCC.
  if (const fs::path nvcc = lab::in_search_path("nvcc"); !nvcc.empty()) {
    ::setenv("WARPWISE_NVCC", fs::absolute(nvcc).c_str(), 1);
    put_in_front("PATH", (folder / "bin").string());
    ::setenv("NVCC", (folder / "bin/nvcc").c_str(), 0);
  }
  // AddressSanitizer ends a program in which it is not the first library. This option lets programs
  // start that were built with it.
  put_in_front("ASAN_OPTIONS", "verify_asan_link_order=0");
}

bool is_script(const fs::path& program) {
  char start[2] = {};
  std::ifstream(program, std::ios::binary).read(start, sizeof(start));
  return start[0] == '#' && start[1] == '!';
}

// Returns true if a program has a statically linked CUDA runtime, and its symbols were stripped.
bool has_stripped_runtime(const fs::path& program) {
  std::ifstream in(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto holds = [&](std::string_view name) {
    return bytes.find('\0' + std::string(name) + '\0') != std::string::npos;
  };
  return holds(".nv_fatbin") && !holds(".symtab");
}

void require_emulated(const std::string& libraries, const fs::path& program,
                      const fs::path& folder) {
  const std::string place = place_of(libraries, runtime_library);
  // The emulated runtime has another name for libwarpwise than for programs. The loader lists it
  // only under the name that is requested first.
  const std::string for_library = place_of(libraries, "libwarpwise_runtime.so.");
  std::error_code ignored;
  for (const std::string& each : {place, for_library}) {
    if (fs::equivalent(each, folder / runtime_library, ignored)) return;
  }
  const std::string name = program.string();
  if (!place.empty()) {
    throw Error(
        fmt::format("{} would load {}, not the emulated one: it was linked with an RPATH, which "
                    "takes precedence; link it with -Wl,--enable-new-dtags instead",
                    name, place));
  }
  constexpr std::string_view refusal = ": error while loading shared libraries: ";
  const std::size_t refused = libraries.find(refusal);
  if (refused != std::string::npos) {
    const std::size_t reason = refused + refusal.size();
    throw Error(fmt::format("{} cannot be loaded: {}", name,
                            libraries.substr(reason, libraries.find('\n', reason) - reason)));
  }
  const std::size_t other = libraries.find("\tlibcudart.so.");
  if (other != std::string::npos) {
    throw Error(fmt::format(
        "{} needs {}, but the emulated CUDA runtime is {}: build it with CUDA 13", name,
        libraries.substr(other + 1, libraries.find(' ', other) - other - 1), runtime_library));
  }
  if (has_stripped_runtime(program)) {
    throw Error(fmt::format(
        "{} holds a static CUDA runtime without its symbols, so its calls cannot be redirected to "
        "the emulated one: link it with nvcc -cudart shared, or do not strip it",
        name));
  }
}

// Checks, before the program runs, that a report can be written: its file must be a regular file.
void require_report(const std::string& option, const std::string& file) {
  if (io::written_directly(file))
    throw UsageError(fmt::format("{} {}: a report needs a regular file", option, file));
  io::require_writable_path(file);
}

// Reads the file of suppressions before the program runs, so that an error shows early. The runtime
// reads the file again.
void require_suppressions(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw Error(file + " cannot be read");
  try {
    const emulator::Suppressions read(text);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--suppressions {}: {}", file, error.what()));
  }
}

// Shows PROGRAM and its arguments in the help, since the parser does not know them.
class Help final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] PROGRAM [ARGS...]\n", name);
  }
};

class RunCommand final : public Command {
 public:
  explicit RunCommand(CLI::App& app) : app_(app) {
    app.prefix_command();  // words after PROGRAM are PROGRAM's own
    app.formatter(std::make_shared<Help>());
    add_checks(app,
               "Checks in addition to those always on (accesses out of bounds, misaligned "
               "accesses, asserts, deadlocks, the limit of --end-after)",
               checks_);
    add_gpu_options(app);
    add_report_options(app);
    add_exit_options(app);
    app.footer(
        "PROGRAM is a CUDA program, or starts some: Python, pytest, a shell script. CUDA programs\n"
        "need CUDA 13 and PTX (nvcc -arch=compute_75 or later); -lineinfo gives faults their "
        "lines.\n"
        "numba, Triton and CuPy make PTX here. ARGS go to PROGRAM. Its exit code is kept if it is "
        "not 0.");
  }

  void execute() const override {
    const std::vector<std::string> words = app_.remaining();
    if (words.empty())
      throw UsageError("run needs PROGRAM: warpwise run [OPTIONS] PROGRAM [ARGS...]");
    if (words[0].starts_with('-')) {
      throw UsageError(fmt::format(
          "run has no option '{}' (see warpwise run --help); options of PROGRAM come after PROGRAM",
          words[0]));
    }
    if (std::getenv("WARPWISE_EMULATED_GATHER") != nullptr) {
      throw Error(fmt::format(
          "another warpwise run has started this one: it checks {} too, so leave out the inner "
          "'warpwise run' and give the options to the outer one",
          words[0]));
    }
    if (app_.count("--cc") > 0 && app_.count("--profile") > 0)
      throw UsageError("--profile replaces --cc: give only one of them");
    if (seed_ && orders_ == 1) throw UsageError("--seed needs --orders N, the number of orders");
    if (!junit_.empty()) require_report("--junit", junit_);
    if (!sarif_.empty()) require_report("--sarif", sarif_);
    require_different("--junit", junit_, "--sarif", sarif_);
    require_different("--explain", explain_, "--junit", junit_);
    require_different("--explain", explain_, "--sarif", sarif_);
    if (!suppressions_.empty()) require_suppressions(suppressions_);
    if (!explain_.empty()) require_explanation_place(explain_);
    const fs::path program = find_program(words[0]);
    const fs::path folder = lab::emulated_runtime_folder();
    lab::search_first(folder);
    if (!is_script(program)) require_emulated(libraries_of(program), program, folder);
    load_first(folder);
    set_variables();
    exit_as(run(program, words));
  }

 private:
  void add_gpu_options(CLI::App& app) {
    add_text_option(
        app, "--cc", "X.Y", "Compute capability of the emulated GPU (default: 9.0)",
        [this](const std::string& text) { cc_ = rules::parse_compute_capability(text); });
    add_text_option(
        app, "--profile", "GPU",
        "GPU whose compute capability and number of multiprocessors to use, and whose times "
        "--explain predicts: h200, another profile's name or FILE.json (default: a GPU of --cc)",
        [this](const std::string& text) {
          device_ = lab::find_device_profile(text);
          cc_ = device_->compute_capability;
          multiprocessors_ = std::llround(device_->figure("multiprocessors"));
        });
    add_deprecated_option(app, "--device", "--profile");
    add_text_option(
        app, "--sms", "N",
        "Number of multiprocessors that the program sees, 1 to 1024 (default: 8, or those "
        "of --profile)",
        [this](const std::string& text) { sms_ = parse_integer("--sms", text, 1, 1024); });
    add_text_option(app, "--end-after", "N",
                    "End a launch after this many warp instructions, together with those of the "
                    "kernels that it launches (default: no limit)",
                    [this](const std::string& text) {
                      budget_ = parse_integer("--end-after", text, 1,
                                              std::numeric_limits<std::int64_t>::max());
                    });
    add_deprecated_option(app, "--budget", "--end-after");
    add_choice(app, "--engine",
               "Execution of kernels: automatic makes machine code of kernels that execute many "
               "instructions. Results and faults are the same (default: automatic)",
               emulator::all_engines, engine_);
    add_text_option(
        app, "--orders", "N",
        "Run each launch N times, 2 to 1000, from the same memory, with blocks, warps and lanes in "
        "different orders. A result that depends on the order is a fault",
        [this](const std::string& text) { orders_ = parse_integer("--orders", text, 2, 1000); });
    add_text_option(
        app, "--seed", "S", "Seed of the orders (default: 1)", [this](const std::string& text) {
          seed_ = parse_integer("--seed", text, 0, std::numeric_limits<std::int64_t>::max());
        });
  }

  void add_report_options(CLI::App& app) {
    app.add_option("--suppressions", suppressions_,
                   "File of known faults, which are not reported. Each line has a fault and a "
                   "reason: race at sum.cu:12 because …")
        ->type_name("FILE")
        ->check(refuse_empty_name);
    app.add_flag(
        "--report-known", report_known_,
        "Also report the faults that Warpwise lists as known: places of CUB and Thrust that "
        "break the rules and are right on a GPU");
    app.add_option(
           "--explain", explain_,
           "After the program ends, explain each kernel's costs as warpwise explain does, with "
           "a timeline of its launches and copies: FILE.json, FILE.html, or text; - is "
           "standard output")
        ->type_name("FILE")
        ->check(refuse_empty_name);
    app.add_option("--junit", junit_, "Write a test case for each kernel, as JUnit XML")
        ->type_name("FILE")
        ->check(refuse_empty_name);
    app.add_option("--sarif", sarif_, "Write each fault with its source line, as SARIF 2.1.0")
        ->type_name("FILE")
        ->check(refuse_empty_name);
  }

  void add_exit_options(CLI::App& app) {
    add_text_option(
        app, "--error-exitcode", "N",
        "Exit code in place of 0 after a fault, or if a kernel or CUDA function could not be "
        "run (default: 1). With 0, faults change no exit code",
        [this](const std::string& text) {
          error_exit_code_ = parse_integer("--error-exitcode", text, 0, 255);
        });
    app.add_flag("--keep-going", keep_going_,
                 "Do not tell the program of a kernel's fault, so that its other kernels run too. "
                 "They see the memory as the faulty kernel left it");
    add_text_option(
        app, "--time-limit", "SECONDS",
        "Time limit of each process that uses CUDA: then it ends, with a fault and all reports "
        "(default: no limit)",
        [this](const std::string& text) {
          time_limit_ = parse_integer("--time-limit", text, 1, 1'000'000);
        });
    app.add_flag("--fidelity", fidelity_,
                 "At the end, list what was exact, modelled or not run, by kernel and source line, "
                 "and what may have affected a branch or a result");
    app.add_flag("-q,--quiet", quiet_,
                 "Omit the final lines that count launches and faults and name inexact parts");
  }

  static void set(const char* name, const std::string& value) {
    ::setenv(fmt::format("WARPWISE_EMULATED_{}", name).c_str(), value.c_str(), 1);
  }

  void set_variables() const {
    if (app_.count("--check") > 0) set("CHECK", to_string(checks_));
    if (cc_) set("CC", rules::to_string(*cc_));
    if (budget_ > 0) set("BUDGET", std::to_string(budget_));
    if (engine_ != emulator::Engine::automatic) set("ENGINE", std::string(name_of(engine_)));
    if (orders_ > 1) set("ORDERS", std::to_string(orders_));
    if (seed_) set("SEED", std::to_string(*seed_));
    if (!suppressions_.empty()) set("SUPPRESSIONS", fs::absolute(suppressions_).string());
    set("ERROR_EXITCODE", std::to_string(error_exit_code_));
    set("SMS", std::to_string(sms_.value_or(multiprocessors_)));
    if (report_known_) set("REPORT_KNOWN", "1");
    if (keep_going_) set("KEEP_GOING", "1");
    if (time_limit_ > 0) set("TIME_LIMIT", std::to_string(time_limit_));
    if (fidelity_) set("FIDELITY", "1");
    set("MESSAGES", quiet_ ? "faults" : "all");
  }

  lab::ExplainRequest explain_request() const {
    lab::ExplainRequest request;
    request.compute_capabilities = {cc_.value_or(rules::ComputeCapability{9, 0})};
    request.fidelity = fidelity_;
    request.checks = checks_;
    request.device = device_ ? device_ : lab::profile_of(request.compute_capabilities[0]);
    return request;
  }

  // Runs the program, then makes the reports. Returns the status for exit_as().
  int run(const fs::path& program, const std::vector<std::string>& words) const {
    const lab::TemporaryFolder folder;
    const fs::path records = folder / "processes";
    const fs::path launches = folder / "launches.json";
    fs::create_directory(records);
    const lab::ExplainRequest request = explain_request();
    const int status = run_and_wait(folder, [&] {
      set("GATHER", records.string());
      if (!explain_.empty()) set("EXPLAIN", launches.string());
      if (!explain_.empty() && request.device) set("PACE", lab::sample_text(*request.device));
      exec_program(program, words);
    });
    const JoinedReports reports = join_reports(records, program.filename().string());
    write_report(junit_, reports.junit);
    write_report(sarif_, reports.sarif);
    if (!quiet_) say(reports);
    if (!explain_.empty()) explain_run(explain_, request, !quiet_, launches);
    return status == 0 ? exit_status(reports) : status;
  }

  static void write_report(const std::string& file, const std::string& text) {
    if (file.empty()) return;
    io::OutputFile out(file);
    out.write(std::as_bytes(std::span(text)));
    out.finish();
  }

  static void say(const JoinedReports& reports) {
    for (const std::string& each : reports.unused_suppressions) print_error("warpwise: " + each);
    print_error("warpwise: " + reports.summary);
  }

  // Returns the exit status to use if the program itself ends with 0, in the form of waitpid().
  int exit_status(const JoinedReports& reports) const {
    const bool found = reports.faults + reports.refused > 0;
    const std::int64_t refused = reports.refused > 0 ? 1 : 0;
    const auto code = found && error_exit_code_ > 0 ? error_exit_code_ : refused;
    return W_EXITCODE(static_cast<int>(code), 0);
  }

  [[noreturn]] static void exec_program(const fs::path& program, std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    throw Error(fmt::format("{} cannot be started: {}", program.string(), std::strerror(errno)));
  }

  const CLI::App& app_;
  emulator::Checks checks_;
  std::optional<rules::ComputeCapability> cc_;
  std::optional<lab::DeviceProfile> device_;
  std::int64_t budget_ = 0;  // 0: no limit
  emulator::Engine engine_ = emulator::Engine::automatic;
  std::int64_t orders_ = 1;
  std::optional<std::int64_t> seed_;
  std::string suppressions_;
  std::string explain_;
  std::string junit_;
  std::string sarif_;
  std::int64_t error_exit_code_ = 1;
  std::int64_t time_limit_ = 0;  // 0: no limit
  // The default is that of a Jetson Orin Nano, which has 8 multiprocessors. Many programs choose
  // their number of thread blocks by it. 8 multiprocessors give few blocks without work, and still
  // enough blocks for races to show.
  std::int64_t multiprocessors_ = 8;
  std::optional<std::int64_t> sms_;
  bool keep_going_ = false;
  bool report_known_ = false;
  bool fidelity_ = false;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> add_run(CLI::App& app) {
  return std::make_unique<RunCommand>(*app.add_subcommand(
      "run", "Run a CUDA program without a GPU, and report the faults of its kernels"));
}

}  // namespace warpwise::cli
