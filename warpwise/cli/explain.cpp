#include "warpwise/lab/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "warpwise/base/counted.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/explain_options.hpp"
#include "warpwise/cli/host_code.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/cli/quoted.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/lab/explain/comparison/comparison.hpp"
#include "warpwise/lab/explain/gpu/gpu_probe.hpp"
#include "warpwise/lab/explain/launch/kernel_list.hpp"
#include "warpwise/lab/explain/programs/emulated_runtime.hpp"
#include "warpwise/lab/explain/programs/primitive.hpp"
#include "warpwise/lab/explain/show/report.hpp"
#include "warpwise/lab/report/kernel/kernel_page.hpp"
#include "warpwise/lab/study/table/study_table.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::cli {
namespace {

io::Picture read_texture(const std::string& path) {
  io::InputFile file(path);
  io::Picture picture = io::read_picture(file);
  const int channels = picture.shape().channels;
  return channels == 3 || channels == 4 ? live::grey_of(picture) : std::move(picture);
}

// Most pixels of an image. Filling the operands of a larger image takes longer than the kernels.
constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

void require_explainable(Size size, const std::string& name) {
  if (size.width <= most_pixels / size.height) return;
  throw UsageError(
      fmt::format("--size {}x{} is too large to run {} without a GPU: at most {} pixels "
                  "(16384x16384); a far smaller size gives the same cost per pixel",
                  size.width, size.height, name, most_pixels));
}

class ExplainCommand final : public Command {
 public:
  explicit ExplainCommand(CLI::App& app) : app_(app) { add_explain_options(app, options_); }

  void execute() const override {
    if (options_.names.size() > 2) {
      throw UsageError(
          fmt::format("explain takes one FILE, or two to compare, not {}", options_.names.size()));
    }
    if (options_.names.size() == 2) {
      execute_two();
      return;
    }
    if (is_rung(options_, options_.name())) {
      execute_rung();
    } else if (lab::is_primitive(options_.name())) {
      execute_primitive();
    } else {
      execute_file();
    }
  }

 private:
  // Prints the compiler's whole log before main() prints the error's summary. If an architecture
  // lacks an intrinsic, the compiler reports it as an undeclared identifier.
  template <class Compile>
  static auto with_compiler_log(const Compile& compile) {
    try {
      return compile();
    } catch (const lab::CompileError& error) {
      print_error_log(error.log());
      const std::string summary = error.what();
      const bool lacks_intrinsic = summary.find("identifier \"__") != std::string::npos &&
                                   summary.find("is undefined") != std::string::npos;
      if (!lacks_intrinsic) throw;
      throw Error(summary +
                  "; if only newer GPUs have it, choose one by --arch, --cc or --profile");
    }
  }

  // The GPU to run on; null if none is used. If a requested GPU is missing, why_not says why.
  struct Gpu {
    std::unique_ptr<lab::GpuProbe> probe;
    std::string why_not;
  };

  Gpu open_gpu() const {
    if (options_.place == LabPlace::emulator) return {};
    if (options_.place == LabPlace::automatic && gpu::device_count() == 0) return {};
    try {
      return {std::make_unique<lab::GpuProbe>(), ""};
    } catch (const NoCudaDevice& error) {
      return {nullptr, error.what()};
    }
  }

  // Adds the GPU's compute capability to those of --cc and --profile. If neither option is given,
  // the GPU's is the only one.
  std::vector<rules::ComputeCapability> capabilities_on(const Gpu& gpu) const {
    std::vector<rules::ComputeCapability> all = options_.modelled_gpus.all();
    if (gpu.probe == nullptr) return all;
    const rules::ComputeCapability own = gpu.probe->executor().compute_capability();
    if (!options_.modelled_gpus.listed && !options_.modelled_gpus.device) return {own};
    if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
    return all;
  }

  // Returns the device that times are predicted for: the one of --profile, otherwise the present
  // GPU if it has a profile, otherwise a device of the newest compute capability.
  std::optional<lab::DeviceProfile> device_of(const std::vector<rules::ComputeCapability>& all,
                                              const Gpu& gpu) const {
    if (options_.modelled_gpus.device) return options_.modelled_gpus.device;
    const std::string name = gpu.probe == nullptr ? "" : gpu.probe->executor().device_name();
    return lab::profile_of(*std::max_element(all.begin(), all.end()), name);
  }

  // Returns the request for a FILE. Without --arch, the FILE is compiled for the oldest GPU whose
  // costs are counted, so that all of them can run the PTX. GPUs older than CC 7.5 are ignored,
  // because current compilers do not build for them.
  lab::ExplainRequest request_of_file(std::size_t which, const Gpu& gpu) const {
    lab::ExplainRequest request = file_request(options_, which);
    const auto& all = request.compute_capabilities = capabilities_on(gpu);
    request.device = device_of(all, gpu);
    if (app_.count("--arch") > 0) return request;
    constexpr rules::ComputeCapability oldest_built_for{7, 5};
    rules::ComputeCapability built_for = *std::max_element(all.begin(), all.end());
    for (const rules::ComputeCapability each : all)
      if (each >= oldest_built_for) built_for = std::min(built_for, each);
    request.compile.architecture = 10 * built_for.major + built_for.minor;
    request.compile.nearest_architecture = true;
    return request;
  }

  // Adds a note that the GPU is missing. The report then has only the emulator's results.
  static void note_missing(const Gpu& gpu, std::span<lab::Explanation> launches) {
    if (gpu.why_not.empty()) return;
    for (lab::Explanation& each : launches) {
      each.gpu = lab::GpuReport{};
      each.gpu->why_not = gpu.why_not;
    }
  }

  // Throws if there are faults, or if a requested GPU was not used. Called after the report.
  void finish(std::span<const lab::Explanation> launches) const {
    const bool in_text = !options_.json && options_.html.empty();
    for (const lab::Explanation& each : launches) report_faults(each, in_text);
    if (options_.place != LabPlace::gpu || launches.empty() || !launches[0].gpu) return;
    const std::string& why_not = launches[0].gpu->why_not;
    if (!why_not.empty()) {
      throw Error("not run on a GPU: " + why_not + "; the report is the emulator's");
    }
  }

  // Lists a file's kernels, each with a command that explains it.
  void list_kernels(const lab::ExplainRequest& request) const {
    const std::vector<lab::ListedKernel> kernels =
        with_compiler_log([&] { return lab::listed_kernels(request); });
    std::vector<std::string> before = {"warpwise", "explain", request.file};
    for (const std::string& define : request.compile.defines)
      before.insert(before.end(), {"--define", define});
    for (const std::string& folder : options_.includes)
      before.insert(before.end(), {"--include", folder});
    if (app_.count("--arch") > 0)
      before.insert(before.end(), {"--arch", std::to_string(request.compile.architecture)});
    for (const char* option : {"--cc", "--profile"}) {
      if (app_.count(option) > 0)
        before.insert(before.end(), {option, app_.get_option(option)->results().front()});
    }
    auto object =
        nlohmann::ordered_json{{"file", request.file}, {"kernels", nlohmann::json::array()}};
    std::string text = fmt::format("{}: {}. Commands to start from, with example sizes:\n",
                                   request.file, counted(kernels.size(), "kernel"));
    std::string notes;
    for (const lab::ListedKernel& kernel : kernels) {
      std::vector<std::string> words = before;
      words.insert(words.end(), kernel.arguments.begin(), kernel.arguments.end());
      object["kernels"].push_back({{"kernel", kernel.name}, {"command", words}});
      if (!kernel.note.empty()) object["kernels"].back()["note"] = kernel.note;
      text += "  ";
      for (const std::string& word : words) text += quoted(word) + " ";
      text.back() = '\n';
      if (!kernel.note.empty()) notes += kernel.note + "\n";
    }
    text += notes +
            "Buffers are zeros without :random or :iota. If the data decide branches, indices or "
            "atomics, give real data with @file.npy.\n";
    print(options_.json ? text_of_json(object) : text);
  }

  void execute_file() const {
    file_request(options_, 0);  // checks the options before a GPU is opened
    refuse_unused_options(app_, options_);
    if (options_.host_code) {
      const lab::ExplainRequest request = request_of_file(0, {});
      print(with_compiler_log([&] { return host_code_text(request); }));
      return;
    }
    if (lists_kernels(options_)) {
      list_kernels(request_of_file(0, {}));
      return;
    }
    require_outputs_of(options_);
    const Gpu gpu = open_gpu();
    const lab::ExplainRequest request = request_of_file(0, gpu);
    lab::Explanation explanation = with_compiler_log([&] {
      const Waiting waiting("compiling and running " + request.file);
      return lab::explain(request, read_texture, gpu.probe.get());
    });
    note_missing(gpu, {&explanation, 1});
    print_report(explanation);
    finish({&explanation, 1});
  }

  void execute_rung() const {
    refuse_options_of_files(app_, options_.name());
    const Selection selection = rung_named(options_.name());
    require_outputs_of(options_);
    lab::PrimitiveRequest request = request_of(selection.rungs.front());
    const Gpu gpu = open_gpu();
    request.compute_capabilities = capabilities_on(gpu);
    request.device = device_of(request.compute_capabilities, gpu);
    lab::PrimitiveExplanation explanation = with_compiler_log([&] {
      const Waiting waiting("compiling and running " + options_.name());
      return lab::explain_rung(selection.table, request, gpu.probe.get());
    });
    note_missing(gpu, explanation.launches);
    print_report(explanation);
    finish(explanation.launches);
  }

  void execute_two() const {
    const bool rungs = is_rung(options_, options_.names[0]);
    for (const std::string& name : options_.names) {
      if (lab::is_primitive(name) || is_rung(options_, name) != rungs) {
        throw UsageError("explain compares two FILEs or two rungs, not " +
                         fmt::format("{}", fmt::join(options_.names, " with ")));
      }
    }
    for (const char* option : {"--machine-code", "--dump", "--html", "--host-code"}) {
      if (app_.count(option) > 0)
        throw UsageError(fmt::format("{} is for one kernel, not for two", option));
    }
    // Checks the options of the second FILE before the first FILE runs.
    if (!rungs) {
      file_request(options_, 1);
      refuse_unused_options(app_, options_);
    }
    const Gpu gpu = open_gpu();
    const auto [before, after] = with_compiler_log([&] {
      const Waiting waiting(fmt::format("running {}", fmt::join(options_.names, " and ")));
      const auto explained = [&](std::size_t which) {
        return rungs ? explained_rung(which, gpu) : explained_file(which, gpu);
      };
      return std::pair{explained(0), explained(1)};
    });
    if (!rungs) require_all_taken(before, after);
    const lab::Comparison comparison = lab::compare(before, after);
    print(options_.json ? text_of_json(lab::json_of(comparison)) : lab::text_of(comparison));
    finish(before.launches);
    finish(after.launches);
  }

  lab::ExplainedKernel explained_file(std::size_t which, const Gpu& gpu) const {
    lab::ExplainRequest request = request_of_file(which, gpu);
    request.keep_buffers = true;
    request.is_second = which == 1;
    try {
      lab::Explanation explanation = lab::explain(request, read_texture, gpu.probe.get());
      note_missing(gpu, {&explanation, 1});
      report_faults(explanation);
      return {explanation.kernel_name + " in " + request.file, {std::move(explanation)}};
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(
          fmt::format("{}: {}; both FILEs get the same arguments, unless --arg gives all of the "
                      "first and then all of the second",
                      request.file, error.what()));
    }
  }

  // Checks that no value of --arg is left over. Either both kernels take all values, or the first
  // kernel takes the first values and the second kernel takes the rest.
  void require_all_taken(const lab::ExplainedKernel& before,
                         const lab::ExplainedKernel& after) const {
    const std::size_t all = options_.arguments.size();
    const std::size_t first = before.launches.front().request.arguments.size();
    const std::size_t second = after.launches.front().request.arguments.size();
    if (first + second == all || (first == all && second == all)) return;
    throw InvalidArgument(
        fmt::format("{} takes {} and {} takes {}, but {} are given: give all of the first and then "
                    "all of the second, or only ones that both take",
                    before.name, counted(first, "argument"), after.name, second, all));
  }

  Selection rung_named(const std::string& name) const {
    LabOptions options;
    options.names = {name};
    options.ladder_folder = options_.ladder_folder;
    Selection selection = select(options).front();
    if (!selection.experiment) return selection;
    throw UsageError(name + " is an experiment; name one of its rungs");
  }

  lab::ExplainedKernel explained_rung(std::size_t which, const Gpu& gpu) const {
    refuse_options_of_files(app_, options_.names[which]);
    const Selection selection = rung_named(options_.names[which]);
    require_same_problem(selection);
    lab::PrimitiveRequest request = request_of(selection.rungs.front());
    request.compute_capabilities = capabilities_on(gpu);
    request.device = device_of(request.compute_capabilities, gpu);
    lab::PrimitiveExplanation explanation =
        lab::explain_rung(selection.table, request, gpu.probe.get());
    note_missing(gpu, explanation.launches);
    for (const lab::Explanation& each : explanation.launches) report_faults(each);
    return {explanation.request.name, std::move(explanation.launches)};
  }

  // Checks that a rung (a kernel of a ladder or study) computes the same problem as the first rung.
  void require_same_problem(const Selection& selection) const {
    const Selection first = rung_named(options_.names.front());
    if (first.table.name() != selection.table.name()) {
      throw UsageError(
          fmt::format("{} and {} compute different things: explain compares two rungs "
                      "of one ladder or study",
                      options_.names[0], options_.names[1]));
    }
    const lab::Rung& before = first.table.rung(first.rungs.front());
    const lab::Rung& after = selection.table.rung(selection.rungs.front());
    auto parameters = first.table.parameters();
    const auto value = [&](const lab::Rung& rung, const std::string& name) {
      const auto own = rung.parameters.find(name);
      return own == rung.parameters.end() ? parameters.at(name) : own->second;
    };
    for (const auto& [name, unused] : parameters) {
      if (value(before, name) == value(after, name)) continue;
      throw UsageError(fmt::format(
          "{} and {} compute different things: {} is {} in the first and {} in the second",
          options_.names[0], options_.names[1], name, value(before, name), value(after, name)));
    }
  }

  lab::PrimitiveRequest request_of(const std::string& name) const {
    lab::PrimitiveRequest request;
    request.name = name;
    if (options_.size) {
      require_explainable(*options_.size, name);
      request.size = {options_.size->width, options_.size->height};
    }
    request.compute_capabilities = options_.modelled_gpus.all();
    request.budget = options_.file.budget;
    request.machine_code = options_.file.machine_code;
    request.fidelity = options_.file.fidelity;
    request.sample = options_.file.sample;
    request.checks = options_.file.checks;
    return request;
  }

  void execute_primitive() const {
    refuse_options_of_files(app_, options_.name());
    if (!options_.ladder_folder.empty())
      throw UsageError("--ladder-dir and --study-dir are for a rung: NAME/RUNG");
    if (options_.file.sample)
      throw UsageError(
          "--sample is for a FILE or a rung: a primitive's kernels read each other's results");
    if (!options_.file.checks.empty())
      throw UsageError("--check is for a FILE or a rung; lab verify --check checks a primitive's");
    refuse_gpu();
    lab::PrimitiveRequest request = request_of(options_.name());
    require_outputs_of(options_);
    request.device = options_.modelled_gpus.device;
    if (!lab::on_emulated_runtime()) restart(request);
    const lab::PrimitiveExplanation explanation = [&] {
      const Waiting waiting("running " + request.name);
      return lab::explain_primitive(request);
    }();
    print_report(explanation);
    finish(explanation.launches);
  }

  void refuse_gpu() const {
    if (options_.place != LabPlace::gpu) return;
    const std::string& name = options_.name();
    const std::vector<std::string> ladders = lab::study_names();
    const bool has_ladder = std::find(ladders.begin(), ladders.end(), name) != ladders.end();
    throw UsageError(fmt::format(
        "--on gpu is for a FILE or a rung: the launches of {} are observed by the emulated CUDA "
        "runtime, which replaces the GPU's{}",
        name, has_ladder ? fmt::format("; {}/shipped is its kernel as a rung", name) : ""));
  }

  // Replaces this process by the same command on the emulated CUDA runtime, which observes the
  // primitive's launches. The new command line is built from the parsed options.
  [[noreturn]] void restart(const lab::PrimitiveRequest& request) const {
    std::vector<std::string> words = {"warpwise", "explain", request.name, "--cc", ""};
    for (const rules::ComputeCapability cc : request.compute_capabilities) {
      words.back() += (words.back().empty() ? "" : ",") + rules::to_string(cc);
    }
    if (options_.size) {
      words.insert(words.end(),
                   {"--size", fmt::format("{}x{}", options_.size->width, options_.size->height)});
    }
    if (request.device) words.insert(words.end(), {"--profile", options_.modelled_gpus.profile});
    if (request.budget) words.insert(words.end(), {"--budget", std::to_string(*request.budget)});
    if (request.machine_code) words.emplace_back("--machine-code");
    if (request.fidelity) words.emplace_back("--fidelity");
    if (options_.json) words.emplace_back("--json");
    if (!options_.html.empty()) words.insert(words.end(), {"--html", options_.html});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    lab::restart_on_emulated_runtime(arguments.data(),
                                     *std::max_element(request.compute_capabilities.begin(),
                                                       request.compute_capabilities.end()));
  }

  // Adds the text of the explained source file, which the HTML page shows whole. Other files are
  // left out: the page shows only their lines that have counts.
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
    io::OutputFile file(options_.html);
    file.write(std::as_bytes(std::span(page)));
    file.finish();
    if (!io::is_standard_output(options_.html))
      print_line(fmt::format("{}: {} bytes", options_.html, page.size()));
  }

  template <class Explanation>
  void print_report(const Explanation& explanation) const {
    if (!options_.html.empty()) {
      write_page(explanation);
      return;
    }
    print(options_.json ? text_of_json(lab::json_of(explanation))
                        : lab::text_of(explanation, ::isatty(STDOUT_FILENO) != 0));
  }

  // Throws if the launch has faults. \param in_text  true if a text report already names them
  static void report_faults(const lab::Explanation& explanation, bool in_text = false) {
    const auto& faults = explanation.launch.faults;
    if (faults.empty()) return;
    const emulator::Fault& first = faults[0];
    const std::string found = faults.size() == 1
                                  ? "a fault was found"
                                  : fmt::format("{} faults were found, the first", faults.size());
    const bool budget = first.kind == emulator::FaultKind::budget;
    const std::string hint = budget ? " (--budget N allows more)" : "";
    const int own = lab::own_place(first).line;
    const std::string line = own == 0 ? "" : fmt::format(" at line {}", own);
    if (in_text) throw Error(fmt::format("{}{}: see Faults in the report{}", found, line, hint));
    throw Error(fmt::format("{}{}{} in thread ({}, {}, {}) of block ({}, {}, {}): {}{}", found,
                            line, line.empty() ? "" : ",", first.thread.x, first.thread.y,
                            first.thread.z, first.block.x, first.block.y, first.block.z,
                            first.message, hint));
  }

  const CLI::App& app_;
  ExplainOptions options_;
};

}  // namespace

std::unique_ptr<Command> add_explain(CLI::App& app) {
  return std::make_unique<ExplainCommand>(*app.add_subcommand(
      "explain", "Run a CUDA kernel without a GPU and explain its costs on a GPU"));
}

}  // namespace warpwise::cli
