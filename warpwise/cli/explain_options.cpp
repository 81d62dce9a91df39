#include "warpwise/cli/explain_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <filesystem>

#include "warpwise/base/counted.hpp"
#include "warpwise/cli/checks.hpp"
#include "warpwise/cli/outputs.hpp"
#include "warpwise/lab/explain/programs/primitive.hpp"
#include "warpwise/lab/study/table/study_table.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::cli {
namespace {

// Options that only a FILE may have. A primitive sets these properties itself.
constexpr const char* options_of_files[] = {"--kernel",    "--grid",    "--block",    "--shared",
                                            "--define",    "--include", "--arg",      "--arch",
                                            "--registers", "--dump",    "--host-code"};

// Options that have no effect if no launch is given.
constexpr const char* options_of_launches[] = {
    "--html",   "--dump",   "--check",    "--sample", "--registers",
    "--budget", "--shared", "--fidelity", "--on",     "--machine-code"};

template <class Take>
void add_number(CLI::App& app, const std::string& option, const std::string& help,
                std::int64_t least, std::int64_t greatest, Take take) {
  app.add_option_function<std::string>(
         option,
         [=](const std::string& text) { take(parse_integer(option, text, least, greatest)); }, help)
      ->type_name("N");
}

// Adds an option that may be repeated. Each occurrence takes one value, since FILE or another
// option may follow it.
void add_list(CLI::App& app, const std::string& option, const std::string& type,
              const std::string& help, std::vector<std::string>& values) {
  app.add_option(option, values, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

// Suggests the most similar name of a ladder if FILE has the form LADDER/RUNG instead of a path.
std::string nearest_ladder(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos || slash == 0 || name.find('.') != std::string::npos) return "";
  std::vector<std::string> names = lab::study_names();
  for (std::string& each : names) each += name.substr(slash);
  return lab::suggestion(name, names);
}

// Returns the value of an option for one of two files. If the option was given once, the value
// applies to both files.
const std::string* value_of(const ExplainOptions& options, const char* option,
                            const std::vector<std::string>& values, std::size_t which) {
  if (values.empty()) return nullptr;
  if (values.size() > options.names.size()) {
    throw UsageError(fmt::format("{} was given {} times for {}", option, values.size(),
                                 counted(options.names.size(), "FILE")));
  }
  return &values[std::min(which, values.size() - 1)];
}

const std::string& needed(const ExplainOptions& options, const char* option,
                          const std::vector<std::string>& values, std::size_t which) {
  const std::string* value = value_of(options, option, values, which);
  if (value == nullptr)
    throw UsageError(fmt::format(
        "explain needs {} X[,Y[,Z]]; a FILE without further options lists launches to start from",
        option));
  return *value;
}

void add_launch_options(CLI::App& app, ExplainOptions& options) {
  add_list(app, "--kernel", "NAME",
           "Name of the kernel, plain or mangled. Repeat this option and the next three for a "
           "second FILE if its values differ",
           options.kernels);
  add_list(app, "--grid", "X[,Y[,Z]]", "Blocks of the grid", options.grids);
  add_list(app, "--block", "X[,Y[,Z]]", "Threads of a block", options.blocks);
  add_list(app, "--shared", "N", "Bytes of dynamic shared memory (default: 0)", options.shared);
  add_list(app, "--define", "K=V", "Macro for the compiler, like -D; may be repeated",
           options.file.compile.defines);
  add_list(app, "--include", "FOLDER", "Folder with headers for the compiler; may be repeated",
           options.includes);
  add_list(
      app, "--arg", "SPEC",
      "The kernel's arguments in order: a number i32:5 (or u32:, i64:, f32:, f64:), a buffer "
      "f32[N] of zeros (N: 1024 or 32*32), f32[N]:iota, f32[N]:random, i32[N]:random:0..99, "
      "f32[N]:@file.npy (or .raw), a texture tex2d<u8>[WxH]:@file.png, a structure {f32[N], "
      "i32:5}, or a pointer to a structure &{i32:5}. Two FILEs get the same arguments. If their "
      "kernels take different ones, give all of the first kernel, then all of the second",
      options.arguments);
}

// Adds the options for the compilation, and for the limit of a launch's instructions.
void add_build_options(CLI::App& app, ExplainOptions& options) {
  add_number(
      app, "--arch",
      "Architecture to compile the source for, such as 90 for sm_90; --cc or --profile names "
      "the emulated GPU (default: the newest architecture that runs on all of these)",
      1, 999, [&options](std::int64_t value) {
        options.file.compile.architecture = static_cast<int>(value);
      });
  add_number(app, "--registers", "Registers of a thread, instead of the compiler's number", 1, 255,
             [&options](std::int64_t value) { options.file.registers = static_cast<int>(value); });
  add_number(app, "--budget",
             "Most warp instructions of a launch (default: about 20 s of work). A FILE or a rung "
             "that needs more is sampled as with --sample; a loop without an end is stopped",
             1, INT64_MAX, [&options](std::int64_t value) {
               options.file.budget = static_cast<std::uint64_t>(value);
             });
}

void add_form_options(CLI::App& app, ExplainOptions& options) {
  CLI::Option* const json = app.add_flag("--json", options.json, "Print one JSON object");
  CLI::Option* const html =
      app.add_option(
             "--html", options.html,
             "Write the report as a page for a browser, with counts beside the source, instead "
             "of printing it")
          ->type_name("FILE.html")
          ->check(refuse_empty_name)
          ->excludes(json);
  app.add_flag("--host-code", options.host_code,
               "With a FILE: print the machine code of this CPU that the emulator makes from the "
               "kernel, below its lines of PTX, instead of a report. Needs no launch")
      ->excludes(json)
      ->excludes(html);
}

}  // namespace

void add_explain_options(CLI::App& app, ExplainOptions& options) {
  app.add_option("FILE", options.names,
                 "CUDA C++ file (.cu), PTX file (.ptx), NAME/RUNG as listed by warpwise lab list, "
                 "or a primitive, whose kernels are run: " +
                     list_of_primitives() +
                     ". Two files, or two rungs, are compared. For a file without further options "
                     "the kernels are listed, each with options to start from")
      ->type_name("")
      ->expected(0, CLI::detail::expected_max_vector_size);  // usage then shows FILE...
  add_text_option(
      app, "--size", "WxH",
      "With a rung or a primitive: size of the image, or of gemv's matrix (default: a small size)",
      [&options](const std::string& text) { options.size = parse_size("--size", text); });
  add_launch_options(app, options);
  add_modelled_gpu_options(
      app, "Compute capabilities to count for: 1.3,2.0,9.0 (default: that of --profile, or 9.0)",
      "GPU to predict the time for: h200, another profile's name or FILE.json (default: a GPU of "
      "the newest compute capability of --cc). Without --cc it also chooses the compute capability",
      options.modelled_gpus);
  add_build_options(app, options);
  add_list(
      app, "--dump", "INDEX=FILE.npy",
      "Write the buffer that is argument INDEX (from 0) as it is after the kernel; may be repeated",
      options.dumps);
  app.add_option(
         "--ladder-dir,--study-dir", options.ladder_folder,
         "With a rung: folder with the table of its ladder or study, instead of the installed one")
      ->type_name("FOLDER")
      ->check(refuse_empty_name);
  add_choice(app, "--on",
             "Backend: gpu also runs the kernel on the GPU and adds the GPU's counters and times; "
             "auto does so if there is a GPU (default: emulator)",
             all_lab_places, options.place);
  app.add_flag("--machine-code", options.file.machine_code,
               "Print each line's machine code below it, if a disassembler is installed");
  app.add_flag("--fidelity", options.file.fidelity,
               "List the source lines that were not emulated exactly, and whether they may have "
               "affected a branch or a result");
  add_checks(
      app,
      "With a FILE or a rung: checks in addition to those always on (accesses out of bounds, "
      "misaligned accesses, asserts, deadlocks, --budget); init treats buffers of --arg as "
      "initialised",
      options.file.checks);
  add_text_option(
      app, "--sample", "BLOCKS|SHARE%",
      "Run only this many blocks, spread over the grid, and scale their counts to the whole grid",
      [&options](const std::string& text) { options.file.sample = lab::parse_sample(text); });
  add_form_options(app, options);
}

bool lists_kernels(const ExplainOptions& options) {
  return options.names.size() == 1 && options.grids.empty() && options.blocks.empty() &&
         options.arguments.empty();
}

lab::ExplainRequest file_request(const ExplainOptions& options, std::size_t which) {
  if (options.names.empty()) {
    throw UsageError(
        "explain needs FILE.cu or FILE.ptx, whose kernels it lists with launches to start from; "
        "FILE with --grid X[,Y[,Z]], --block X[,Y[,Z]] and each --arg; or a primitive: " +
        list_of_primitives());
  }
  const std::string& name = options.names[which];
  if (!name.ends_with(".cu") && !name.ends_with(".ptx")) {
    throw UsageError(fmt::format(
        "explain got '{}'{}, but takes FILE.cu, FILE.ptx, LADDER/RUNG, or a primitive: {}", name,
        nearest_ladder(name), list_of_primitives()));
  }
  if (options.size)
    throw UsageError("--size is for a rung or a primitive; use --arg for a FILE's kernel");
  if (!options.ladder_folder.empty())
    throw UsageError("--ladder-dir and --study-dir are for a rung: NAME/RUNG");
  // A missing file is reported before a missing option.
  if ((options.grids.empty() || options.blocks.empty()) && !std::filesystem::exists(name))
    throw IoError(name + " cannot be read: there is no such file");
  lab::ExplainRequest request = options.file;
  request.file = name;
  if (!lists_kernels(options)) {
    request.grid = lab::parse_dimensions("--grid", needed(options, "--grid", options.grids, which));
    request.block =
        lab::parse_dimensions("--block", needed(options, "--block", options.blocks, which));
  }
  if (const std::string* kernel = value_of(options, "--kernel", options.kernels, which))
    request.kernel = *kernel;
  if (const std::string* bytes = value_of(options, "--shared", options.shared, which)) {
    request.dynamic_shared_bytes =
        static_cast<std::uint64_t>(parse_integer("--shared", *bytes, 0, INT_MAX / 2));
  }
  for (const std::string& text : options.arguments)
    request.arguments.push_back(lab::parse_argument(text));
  if (options.file.sample && !options.dumps.empty())
    throw UsageError("--dump needs all blocks to run, so it does not go with --sample");
  for (const std::string& text : options.dumps) request.dumps.push_back(lab::parse_dump(text));
  request.compile.include_folders.assign(options.includes.begin(), options.includes.end());
  return request;
}

void require_outputs_of(const ExplainOptions& options) {
  std::vector<NamedFile> outputs;
  std::vector<NamedFile> inputs;
  if (!options.html.empty()) outputs.push_back({"--html", options.html});
  for (const std::string& dump : options.dumps) {
    const std::string index = dump.substr(0, dump.find('='));
    outputs.push_back({"--dump " + index, lab::parse_dump(dump).path});
  }
  for (const std::string& name : options.names) {
    if (name.ends_with(".cu") || name.ends_with(".ptx")) inputs.push_back({"the input", name});
  }
  require_outputs(outputs, inputs);
}

void refuse_unused_options(const CLI::App& app, const ExplainOptions& options) {
  const auto is_ptx = [](const std::string& name) { return name.ends_with(".ptx"); };
  for (const char* option : {"--define", "--include", "--arch"}) {
    if (app.count(option) > 0 && std::ranges::all_of(options.names, is_ptx)) {
      throw UsageError(fmt::format("{} is for the compiler, and {} is compiled already", option,
                                   options.name()));
    }
  }
  if (!options.host_code && !lists_kernels(options)) return;
  std::vector<std::string> unused;
  for (const std::string option : options_of_launches) {
    const bool is_default = option == "--on" && options.place == LabPlace::emulator;
    if (app.count(option) > 0 && !is_default) unused.push_back(option);
  }
  if (unused.empty()) return;
  const std::string all = fmt::format("{}", fmt::join(unused, ", "));
  if (options.host_code) {
    throw UsageError(fmt::format("--host-code launches no kernel, so it does not go with {}", all));
  }
  throw UsageError(
      fmt::format("{} {} --grid and --block; a FILE without a launch lists launches to start from",
                  all, unused.size() == 1 ? "needs" : "need"));
}

void refuse_options_of_files(const CLI::App& app, const std::string& name) {
  for (const char* option : options_of_files) {
    if (app.count(option) > 0) {
      throw UsageError(fmt::format("{} is for a FILE: {} sets its own launches", option, name));
    }
  }
}

bool is_rung(const ExplainOptions& options, const std::string& name) {
  if (name.find('/') == std::string::npos || name.ends_with(".cu") || name.ends_with(".ptx")) {
    return false;
  }
  if (!options.ladder_folder.empty()) return true;
  const std::vector<std::string> known = lab::study_names();
  return std::find(known.begin(), known.end(), name.substr(0, name.find('/'))) != known.end();
}

std::string list_of_primitives() {
  return fmt::format("{}", fmt::join(lab::primitive_names(), ", "));
}

}  // namespace warpwise::cli
