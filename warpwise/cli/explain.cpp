#include "warpwise/lab/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/grey.hpp"
#include "warpwise/cli/lab.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/lab/explain/gpu_probe.hpp"
#include "warpwise/lab/explain/primitive.hpp"
#include "warpwise/lab/explain/report.hpp"
#include "warpwise/lab/report/kernel_page.hpp"
#include "warpwise/lab/study/study_table.hpp"
#include "warpwise/lab/study/suggestion.hpp"

namespace warpwise::cli {
namespace {

constexpr auto all_places = all_values<LabPlace>();

io::Picture read_texture(const std::string& path) {
  io::InputFile file(path);
  io::Picture picture = io::read_picture(file);
  const int channels = picture.shape().channels;
  return channels == 3 || channels == 4 ? grey_of(picture) : std::move(picture);
}

// What a primitive says for itself.
constexpr const char* options_of_files[] = {"--kernel",    "--grid",    "--block", "--shared",
                                            "--define",    "--include", "--arg",   "--arch",
                                            "--registers", "--dump"};

// Filling more operands than this takes longer than the budget lets the kernels run.
constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

void require_explainable(Size size, const std::string& name) {
  if (size.width <= most_pixels / size.height) return;
  throw UsageError(
      fmt::format("--size {}x{} is too large to run {} without a GPU: at most {} pixels "
                  "(16384x16384); far fewer cost the same for each pixel",
                  size.width, size.height, name, most_pixels));
}

std::string list_of_primitives() {
  return fmt::format("{}", fmt::join(lab::primitive_names(), ", "));
}

class ExplainCommand final : public Command {
 public:
  explicit ExplainCommand(CLI::App& app) : app_(app) {
    app.add_option("FILE", request_.file,
                   "A file of CUDA C++ (.cu) or of PTX (.ptx), NAME/RUNG as warpwise lab list has "
                   "them, or a primitive, whose own kernels are run: " +
                       list_of_primitives())
        ->type_name("");
    add_text(app, "--size", "WxH",
             "With a rung or a primitive: of the image, or gemv's matrix (default: a small one)",
             [this](const std::string& text) { size_ = parse_size("--size", text); });
    app.add_option("--kernel", request_.kernel, "The kernel's name, plain or mangled")
        ->type_name("NAME");
    add_text(app, "--grid", "X[,Y[,Z]]", "Blocks of the grid", [this](const std::string& text) {
      request_.grid = lab::parse_dimensions("--grid", text);
      has_grid_ = true;
    });
    add_text(app, "--block", "X[,Y[,Z]]", "Threads of a block", [this](const std::string& text) {
      request_.block = lab::parse_dimensions("--block", text);
      has_block_ = true;
    });
    add_number(app, "--shared", "Bytes of dynamic shared memory (default: 0)", 0, INT_MAX / 2,
               [this](std::int64_t value) {
                 request_.dynamic_shared_bytes = static_cast<std::uint64_t>(value);
               });
    add_list(app, "--define", "K=V", "A macro for the compiler, as -D; may be repeated",
             request_.compile.defines);
    add_list(app, "--include", "FOLDER", "Where the compiler looks for headers; may be repeated",
             includes_);
    add_list(
        app, "--arg", "SPEC",
        "The kernel's arguments in order: i32:5, u32:, i64:, f32:, f64:, a buffer f32[N] of zeros, "
        "f32[N]:iota, f32[N]:random, f32[N]:@file.npy (or .raw), or tex2d<u8>[WxH]:@file.png",
        arguments_);
    add_counted_for(app,
                    "Compute capabilities to count for: 1.3,2.0,9.0 (default: 9.0, or the GPU's)",
                    "The GPU whose time is predicted, h200 or another profile's name or FILE.json "
                    "(default: one of the newest compute capability above); in place of --cc too",
                    counted_for_);
    add_number(
        app, "--arch", "Architecture that the PTX is built for (default: 75)", 1, 999,
        [this](std::int64_t value) { request_.compile.architecture = static_cast<int>(value); });
    add_number(app, "--registers", "Registers of a thread, in place of the compiler's", 1, 255,
               [this](std::int64_t value) { request_.registers = static_cast<int>(value); });
    add_number(app, "--budget",
               "Warp instructions after which the run is stopped (default: what 20 s allow)", 1,
               INT64_MAX,
               [this](std::int64_t value) { request_.budget = static_cast<std::uint64_t>(value); });
    add_list(
        app, "--dump", "INDEX=FILE.npy",
        "Write the buffer that is argument INDEX (from 0) as the kernel left it; may be repeated",
        dumps_);
    app.add_option(
           "--ladder-dir,--study-dir", ladder_folder_,
           "With a rung: a folder with the table of its ladder or study, in place of an installed "
           "one")
        ->type_name("FOLDER");
    add_choice(
        app, "--on",
        "Where to run: gpu also runs it on the GPU, whose counters and times stand beside the "
        "emulator's counts; auto does so if there is one (default: emulator)",
        all_places, place_);
    app.add_flag("--machine-code", request_.machine_code,
                 "Print each line's machine code below it, where there is a disassembler");
    CLI::Option* const json = app.add_flag("--json", json_, "Print one JSON object");
    app.add_option("--html", html_,
                   "Write the report as a page for a browser, with the source's counts in its "
                   "margin, in the place of printing it")
        ->type_name("FILE.html")
        ->excludes(json);
  }

  void execute() const override {
    if (is_rung()) {
      execute_rung();
    } else if (lab::is_primitive(request_.file)) {
      execute_primitive();
    } else {
      execute_file();
    }
  }

 private:
  // NAME/RUNG of a ladder or a study. A path to a file has its extension.
  bool is_rung() const {
    const std::string& name = request_.file;
    if (name.find('/') == std::string::npos || name.ends_with(".cu") || name.ends_with(".ptx")) {
      return false;
    }
    if (!ladder_folder_.empty()) return true;
    const std::vector<std::string> known = lab::study_names();
    return std::find(known.begin(), known.end(), name.substr(0, name.find('/'))) != known.end();
  }

  // The summary of an error is main's; here is all of what the compiler said.
  template <class Compile>
  static auto with_compiler_log(const Compile& compile) {
    try {
      return compile();
    } catch (const lab::CompileError& error) {
      print_error_log(error.log());
      throw;
    }
  }

  // The GPU that is asked for; without it why it is not there, or nothing where nobody asks.
  struct Gpu {
    std::unique_ptr<lab::GpuProbe> probe;
    std::string why_not;
  };

  Gpu open_gpu() const {
    if (place_ == LabPlace::emulator) return {};
    if (place_ == LabPlace::automatic && gpu::device_count() == 0) return {};
    try {
      return {std::make_unique<lab::GpuProbe>(), ""};
    } catch (const NoCudaDevice& error) {
      return {nullptr, error.what()};
    }
  }

  // What stands beside counters is counted for their GPU.
  std::vector<rules::ComputeCapability> capabilities_on(const Gpu& gpu) const {
    std::vector<rules::ComputeCapability> all = counted_for_.all();
    if (gpu.probe == nullptr) return all;
    const rules::ComputeCapability own = gpu.probe->executor().compute_capability();
    if (!counted_for_.listed && !counted_for_.device) return {own};
    if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
    return all;
  }

  // Advice needs one; of what is asked for the newest, which it is for.
  std::optional<lab::DeviceProfile> device_of(
      const std::vector<rules::ComputeCapability>& all) const {
    if (counted_for_.device) return counted_for_.device;
    return lab::profile_of(*std::max_element(all.begin(), all.end()));
  }

  // The emulator's report is all there is then.
  static void note_missing(const Gpu& gpu, std::span<lab::Explanation> launches) {
    if (gpu.why_not.empty()) return;
    for (lab::Explanation& each : launches) {
      each.gpu = lab::GpuReport{};
      each.gpu->why_not = gpu.why_not;
    }
  }

  // After the report: what was asked for and could not be.
  void finish(std::span<const lab::Explanation> launches) const {
    for (const lab::Explanation& each : launches) report_faults(each);
    if (place_ != LabPlace::gpu || launches.empty() || !launches[0].gpu) return;
    const std::string& why_not = launches[0].gpu->why_not;
    if (!why_not.empty()) {
      throw Error("not run on a GPU: " + why_not + "; the report is the emulator's");
    }
  }

  void execute_file() const {
    lab::ExplainRequest request = checked_request();
    const Gpu gpu = open_gpu();
    request.compute_capabilities = capabilities_on(gpu);
    request.device = device_of(request.compute_capabilities);
    lab::Explanation explanation = with_compiler_log([&] {
      const Waiting waiting("compiling and running " + request.file);
      return lab::explain(request, read_texture, gpu.probe.get());
    });
    note_missing(gpu, {&explanation, 1});
    print_report(explanation);
    finish({&explanation, 1});
  }

  void execute_rung() const {
    refuse_options_of_files();
    LabOptions options;
    options.names = {request_.file};
    options.ladder_folder = ladder_folder_;
    const Selection selection = select(options).front();
    if (selection.experiment) {
      throw UsageError(request_.file + " is an experiment; explain takes one of its rungs");
    }
    lab::PrimitiveRequest request = request_of(selection.rungs.front());
    const Gpu gpu = open_gpu();
    request.compute_capabilities = capabilities_on(gpu);
    request.device = device_of(request.compute_capabilities);
    lab::PrimitiveExplanation explanation = with_compiler_log([&] {
      const Waiting waiting("compiling and running " + request_.file);
      return lab::explain_rung(selection.table, request, gpu.probe.get());
    });
    note_missing(gpu, explanation.launches);
    print_report(explanation);
    finish(explanation.launches);
  }

  lab::PrimitiveRequest request_of(const std::string& name) const {
    lab::PrimitiveRequest request;
    request.name = name;
    if (size_) {
      require_explainable(*size_, name);
      request.size = {size_->width, size_->height};
    }
    request.compute_capabilities = counted_for_.all();
    request.budget = request_.budget;
    request.machine_code = request_.machine_code;
    return request;
  }

  void refuse_options_of_files() const {
    for (const char* option : options_of_files) {
      if (app_.count(option) > 0) {
        throw UsageError(fmt::format("{} is for a FILE: {} says itself what it launches", option,
                                     request_.file));
      }
    }
  }

  void execute_primitive() const {
    refuse_options_of_files();
    if (!ladder_folder_.empty())
      throw UsageError("--ladder-dir and --study-dir are for a rung: NAME/RUNG");
    refuse_gpu();
    const lab::PrimitiveRequest request = request_of(request_.file);
    if (!lab::on_emulated_runtime()) restart(request);
    const lab::PrimitiveExplanation explanation = [&] {
      const Waiting waiting("running " + request.name);
      return lab::explain_primitive(request);
    }();
    print_report(explanation);
    finish(explanation.launches);
  }

  void refuse_gpu() const {
    if (place_ != LabPlace::gpu) return;
    const std::string& name = request_.file;
    const std::vector<std::string> ladders = lab::study_names();
    const bool has_ladder = std::find(ladders.begin(), ladders.end(), name) != ladders.end();
    throw UsageError(fmt::format(
        "--on gpu is for a FILE or a rung: what {} launches is seen on the emulated CUDA runtime, "
        "which stands in the place of the GPU's{}",
        name, has_ladder ? fmt::format("; {}/shipped is its kernel as a rung", name) : ""));
  }

  // The command line is written anew from the options as they were read.
  [[noreturn]] void restart(const lab::PrimitiveRequest& request) const {
    std::vector<std::string> words = {"warpwise", "explain", request.name, "--cc", ""};
    for (const rules::ComputeCapability cc : request.compute_capabilities) {
      words.back() += (words.back().empty() ? "" : ",") + rules::to_string(cc);
    }
    if (size_) {
      words.insert(words.end(), {"--size", fmt::format("{}x{}", size_->width, size_->height)});
    }
    if (request.budget) words.insert(words.end(), {"--budget", std::to_string(*request.budget)});
    if (request.machine_code) words.emplace_back("--machine-code");
    if (json_) words.emplace_back("--json");
    if (!html_.empty()) words.insert(words.end(), {"--html", html_});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    lab::restart_on_emulated_runtime(arguments.data(),
                                     *std::max_element(request.compute_capabilities.begin(),
                                                       request.compute_capabilities.end()));
  }

  // What was explained itself; of the rest a page shows the lines that have counts.
  static void add_source(const lab::Explanation& launch,
                         std::map<std::string, std::string>& texts) {
    for (const lab::SourceFile& each : launch.sources) {
      if (each.shown != launch.request.file || each.lines.empty()) continue;
      texts[each.shown] = fmt::format("{}\n", fmt::join(each.lines, "\n"));
    }
  }
  static std::map<std::string, std::string> sources_of(const lab::Explanation& launch) {
    std::map<std::string, std::string> texts;
    add_source(launch, texts);
    return texts;
  }
  static std::map<std::string, std::string> sources_of(const lab::PrimitiveExplanation& all) {
    std::map<std::string, std::string> texts;
    for (const lab::Explanation& each : all.launches) add_source(each, texts);
    return texts;
  }

  template <class Explanation>
  void write_page(const Explanation& explanation) const {
    const std::string page =
        lab::report::kernel_page(lab::json_of(explanation), sources_of(explanation));
    io::OutputFile file(html_);
    file.write(std::as_bytes(std::span(page)));
    file.finish();
    if (!io::is_standard_output(html_)) print_line(fmt::format("{}: {} bytes", html_, page.size()));
  }

  template <class Explanation>
  void print_report(const Explanation& explanation) const {
    if (!html_.empty()) {
      write_page(explanation);
      return;
    }
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    print(json_ ? lab::json_of(explanation).dump(2, ' ', false, replace) + "\n"
                : lab::text_of(explanation, ::isatty(STDOUT_FILENO) != 0));
  }

  template <class Take>
  static void add_text(CLI::App& app, const std::string& option, const std::string& type,
                       const std::string& help, Take take) {
    app.add_option_function<std::string>(option, take, help)->type_name(type);
  }

  template <class Take>
  static void add_number(CLI::App& app, const std::string& option, const std::string& help,
                         std::int64_t least, std::int64_t greatest, Take take) {
    app.add_option_function<std::string>(
           option,
           [=](const std::string& text) { take(parse_integer(option, text, least, greatest)); },
           help)
        ->type_name("N");
  }

  // Each occurrence takes one value: what stands behind it is FILE or another option.
  static void add_list(CLI::App& app, const std::string& option, const std::string& type,
                       const std::string& help, std::vector<std::string>& values) {
    app.add_option(option, values, help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  }

  // Suggests a name that is near where FILE looks like LADDER/RUNG and not like a path.
  std::string nearest_ladder() const {
    const std::size_t slash = request_.file.find('/');
    if (slash == std::string::npos || slash == 0 || request_.file[0] == '.') return "";
    std::vector<std::string> names = lab::study_names();
    for (std::string& each : names) each += request_.file.substr(slash);
    return lab::suggestion(request_.file, names);
  }

  lab::ExplainRequest checked_request() const {
    if (request_.file.empty()) {
      throw UsageError(
          "explain needs FILE.cu or FILE.ptx, --grid X[,Y[,Z]] and --block X[,Y[,Z]], or a "
          "primitive: " +
          list_of_primitives());
    }
    if (!request_.file.ends_with(".cu") && !request_.file.ends_with(".ptx")) {
      throw UsageError(fmt::format(
          "explain got '{}'{}, it takes FILE.cu, FILE.ptx, LADDER/RUNG, or a primitive: {}",
          request_.file, nearest_ladder(), list_of_primitives()));
    }
    if (size_)
      throw UsageError(
          "--size is for a rung or a primitive; what a FILE's kernel gets is said by --arg");
    if (!ladder_folder_.empty())
      throw UsageError("--ladder-dir and --study-dir are for a rung: NAME/RUNG");
    if (!has_grid_ || !has_block_) {
      throw UsageError(fmt::format("explain needs {} X[,Y[,Z]]", has_grid_ ? "--block" : "--grid"));
    }
    lab::ExplainRequest request = request_;
    for (const std::string& text : arguments_)
      request.arguments.push_back(lab::parse_argument(text));
    for (const std::string& text : dumps_) request.dumps.push_back(lab::parse_dump(text));
    request.compile.include_folders.assign(includes_.begin(), includes_.end());
    return request;
  }

  static void report_faults(const lab::Explanation& explanation) {
    const auto& faults = explanation.launch.faults;
    if (faults.empty()) return;
    const emulator::Fault& first = faults[0];
    const std::string found = faults.size() == 1
                                  ? "a fault was found "
                                  : fmt::format("{} faults were found, the first ", faults.size());
    const bool budget = first.kind == emulator::FaultKind::budget;
    throw Error(fmt::format("{}at line {}, thread ({}, {}, {}) of block ({}, {}, {}): {}{}", found,
                            first.line, first.thread.x, first.thread.y, first.thread.z,
                            first.block.x, first.block.y, first.block.z, first.message,
                            budget ? " (--budget N allows more)" : ""));
  }

  const CLI::App& app_;
  lab::ExplainRequest request_;
  std::optional<Size> size_;
  bool has_grid_ = false;
  bool has_block_ = false;
  CountedFor counted_for_;
  LabPlace place_ = LabPlace::emulator;
  bool json_ = false;
  std::string html_;
  std::vector<std::string> arguments_;
  std::vector<std::string> dumps_;
  std::vector<std::string> includes_;
  std::string ladder_folder_;
};

}  // namespace

std::unique_ptr<Command> add_explain(CLI::App& app) {
  return std::make_unique<ExplainCommand>(*app.add_subcommand(
      "explain", "Run a CUDA kernel without a GPU and say what it would cost on one"));
}

}  // namespace warpwise::cli
