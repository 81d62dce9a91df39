#include "warpwise/lab/explain/explain.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

#include "warpwise/emulator/launched.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/explain/gpu/gpu_probe.hpp"
#include "warpwise/lab/explain/kernel/parameter_members.hpp"
#include "warpwise/lab/explain/launch/enough_elements.hpp"
#include "warpwise/lab/explain/launch/kernel_list.hpp"
#include "warpwise/lab/explain/number_text.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

// Runs an action and puts the file's name before the message of an error. The emulator gets only
// the PTX text, so its messages cannot name the file.
template <class Action>
auto naming(const std::string& file, const Action& action) {
  try {
    return action();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(file + ": " + error.what());
  } catch (const Unsupported& error) {
    throw Unsupported(file + ": " + error.what());
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(file + ": " + error.what());
  }
}

std::string found_kernel(const std::vector<std::string>& names, const std::string& ptx,
                         const ExplainRequest& request) {
  try {
    return kernel_in(ptx, request.kernel);
  } catch (const InvalidArgument& error) {
    std::vector<std::string> plain;
    for (const std::string& name : names) plain.push_back(plain_name(name));
    const std::string text = error.what();
    if (text.starts_with("there is more than one")) throw;
    const bool is_source = !request.file.ends_with(".ptx");
    throw InvalidArgument(text + suggestion(request.kernel, plain) +
                          (is_source ? template_hint(read_text(request.file).value_or("")) : ""));
  }
}

std::string chosen_kernel(const emulator::Program& program, const std::string& ptx,
                          const ExplainRequest& request) {
  const std::vector<std::string> names = program.kernel_names();
  if (!request.kernel.empty()) return found_kernel(names, ptx, request);
  if (names.size() == 1) return names[0];
  if (names.empty()) throw InvalidArgument(request.file + " has no kernel (.entry)");
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? ": " : ", ") + plain_name(name);
  throw InvalidArgument("--kernel NAME is needed: the file has " + std::to_string(names.size()) +
                        " kernels" + list);
}

rules::Limiter what_does_not_fit(const rules::SmLimits& limits,
                                 const rules::BlockResources& block) {
  if (block.threads > limits.threads_per_block) return rules::Limiter::warps;
  const bool has_shared =
      block.shared_bytes >= 0 && block.shared_bytes <= limits.max_shared_per_block;
  return has_shared || block.registers_per_thread > limits.max_registers_per_thread
             ? rules::Limiter::registers
             : rules::Limiter::shared_memory;
}

// Returns true for a load from local memory, or a store to it: "@P0 LDL R4, [R1+0x8]".
bool is_local_access(const MachineInstruction& instruction) {
  static const std::regex local(R"((^|\s)(LDL|STL)[. ])");
  return std::regex_search(instruction.text, local);
}

std::optional<SpillLine> most_spills_in(const std::vector<MachineInstruction>& code) {
  std::map<std::pair<std::string, int>, int> by_line;
  int all = 0;
  for (const MachineInstruction& each : code) {
    if (!is_local_access(each)) continue;
    ++all;
    if (each.line > 0) ++by_line[{each.file, each.line}];
  }
  const auto most = std::ranges::max_element(by_line, {}, [](const auto& at) { return at.second; });
  if (most == by_line.end()) return std::nullopt;
  return SpillLine{most->first.first, most->first.second, most->second, all};
}

CapabilityReport report_of(const ExplainRequest& request, const emulator::KernelInfo& kernel,
                           rules::ComputeCapability cc,
                           const std::optional<KernelResources>& resources,
                           const std::string& why_unknown) {
  CapabilityReport report;
  report.compute_capability = cc;
  if (resources) {
    report.spill_bytes = resources->spill_store_bytes;
    report.spill_loads = resources->spill_load_bytes / 4;
    report.spill_stores = resources->spill_store_bytes / 4;
    report.stack_bytes = resources->stack_bytes;
    if (cc.major >= 7) report.operations = resources->operations;  // older code is not decoded
    if (kernel.local_bytes == 0) report.most_spills = most_spills_in(resources->machine_code);
    report.registers = resources->registers;
    report.registers_from = built_for(*resources, cc);
  } else {
    report.registers_from = "not known: " + why_unknown;
  }
  if (request.registers) {
    report.registers = request.registers;
    report.registers_from = "--registers";
  }
  report.shared_bytes = kernel.static_shared_bytes + request.dynamic_shared_bytes;
  if (cc.major == 1) {
    // On 1.x, arguments and the launch's shape are in shared memory.
    constexpr std::uint64_t launch_bytes = 16;
    report.shared_bytes += launch_bytes;
    if (!kernel.parameter_offsets.empty()) {
      report.shared_bytes += kernel.parameter_offsets.back() + kernel.parameter_bytes.back();
    }
  }
  const rules::BlockResources block{.threads = static_cast<int>(request.block.count()),
                                    .registers_per_thread = report.registers.value_or(0),
                                    .shared_bytes = static_cast<int>(report.shared_bytes)};
  try {
    report.occupancy = rules::occupancy(cc, block);
  } catch (const InvalidArgument& error) {
    report.why_not = error.what();
    report.occupancy = {.limiter = what_does_not_fit(rules::sm_limits(cc), block)};
  }
  return report;
}

// Returns the spills of a kernel. A thread's stack holds its local arrays and its spilled values,
// so the bytes of the arrays are subtracted.
Spills spills_of(const CapabilityReport& report, const emulator::KernelInfo& kernel) {
  return {.loads = static_cast<double>(report.spill_loads),
          .stores = static_cast<double>(report.spill_stores),
          .instructions = std::max(static_cast<double>(kernel.instructions), 1.0),
          .bytes_per_thread = report.stack_bytes - static_cast<double>(kernel.local_bytes)};
}

ResourceReport resources_of(const ExplainRequest& request, const Compilation& compilation,
                            const emulator::KernelInfo& kernel) {
  const auto read = [&](bool disassemble) {
    return kernel_resources(compilation, kernel.name, request.compute_capabilities,
                            find_toolchain(), disassemble);
  };
  ResourceReport report = read(request.machine_code);
  const bool spills = std::ranges::any_of(report.by_compute_capability, [](const auto& each) {
    return each && each->spill_store_bytes > 0;
  });
  // Only the machine code tells which source lines spill.
  return spills && !request.machine_code ? read(true) : report;
}

std::vector<CapabilityReport> reports_of(const ExplainRequest& request,
                                         const emulator::KernelInfo& kernel,
                                         const ResourceReport& resources) {
  std::vector<CapabilityReport> reports;
  for (std::size_t i = 0; i < request.compute_capabilities.size(); ++i) {
    reports.push_back(report_of(request, kernel, request.compute_capabilities[i],
                                resources.by_compute_capability[i], resources.why_unknown));
  }
  return reports;
}

std::string why_not_disassembled(const Toolchain& toolchain) {
  return toolchain.nvdisasm.empty()
             ? "there is no disassembler, nvdisasm, in a CUDA toolkit or in $PATH. Without a "
               "toolkit, pip install nvidia-cuda-nvdisasm, then add its folder, "
               "site-packages/nvidia/cu13/bin, to $PATH"
             : toolchain.nvdisasm.string() + " cannot read this machine code";
}

std::optional<MachineCode> machine_code_of(const ExplainRequest& request,
                                           const ResourceReport& resources) {
  if (!request.machine_code) return std::nullopt;
  const auto& all = request.compute_capabilities;
  const auto newest = std::max_element(all.begin(), all.end());
  const std::optional<KernelResources>& built =
      resources.by_compute_capability[static_cast<std::size_t>(newest - all.begin())];
  MachineCode code;
  if (!built) {
    code.why_unknown = resources.why_unknown;
  } else if (built->machine_code.empty()) {
    code.why_unknown = why_not_disassembled(find_toolchain());
  } else {
    code.built_for = built_for(*built, *newest);
    code.instructions = built->machine_code;
  }
  return code;
}

// Adds lines that only machine code has, with counts of 0.
void add_lines_of(const MachineCode& code, emulator::LaunchResult& launch) {
  for (const MachineInstruction& each : code.instructions) {
    const auto place = std::tie(each.file, each.line);
    const auto at = std::lower_bound(launch.lines.begin(), launch.lines.end(), place,
                                     [](const emulator::LineCounts& line, const auto& wanted) {
                                       return std::tie(line.file, line.line) < wanted;
                                     });
    if (at != launch.lines.end() && std::tie(at->file, at->line) == place) continue;
    launch.lines.insert(
        at, {each.file, each.line, {}, std::vector<emulator::MemoryCounts>(launch.memory.size())});
  }
}

void add_machine_code(const ResourceReport& resources, Explanation& explanation) {
  explanation.machine_code = machine_code_of(explanation.request, resources);
  if (explanation.machine_code) add_lines_of(*explanation.machine_code, explanation.launch);
}

// Returns the name to show for a file: `given` for the given file, and a path relative to the
// current folder for files below it.
std::string shown_name(const std::string& name, const std::string& given) {
  std::error_code error;
  if (name == given || fs::equivalent(name, given, error)) return given;
  const std::string here = fs::current_path(error).string() + "/";
  return !error && name.starts_with(here) ? name.substr(here.size()) : name;
}

SourceFile read_source(const std::string& name, const std::string& given) {
  SourceFile source{name, shown_name(name, given), {}};
  // The PTX may name any file, even a device without an end. read_text() reads only regular files.
  std::istringstream text(read_text(source.shown).value_or(""));
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r')) line.pop_back();
    source.lines.push_back(line);
  }
  return source;
}

std::vector<SourceFile> sources_of(const emulator::LaunchResult& launch, const std::string& given) {
  std::vector<SourceFile> sources;
  const auto add = [&](const std::string& name) {
    const bool known = std::any_of(sources.begin(), sources.end(),
                                   [&](const SourceFile& source) { return source.name == name; });
    if (!known && !name.empty()) sources.push_back(read_source(name, given));
  };
  for (const emulator::LineCounts& line : launch.lines) add(line.file);
  for (const emulator::Fault& fault : launch.faults) {
    add(fault.file);
    add(own_place(fault).file);
  }
  return sources;
}

// Buffers and textures as they are before the kernel runs. If a GPU cannot use them, `why_not` has
// the reason for the report.
struct MemoryForGpu {
  std::vector<Arguments::Memory> all;
  std::string why_not;
};

MemoryForGpu memory_for_gpu(const Arguments& arguments) {
  try {
    return {arguments.memory(), ""};
  } catch (const Unsupported& error) {
    return {{}, error.what()};
  }
}

// The memory of one run, filled as the request says.
struct Operands {
  Operands(const ExplainRequest& request, const emulator::KernelInfo& kernel,
           const ReadTexture& read_texture)
      : arguments(device, kernel, request.arguments, read_texture) {
    // Arguments are already filled, with zeros by default, so their memory counts as written.
    if (request.checks.has(emulator::Check::init)) device.track_definedness();
  }
  emulator::Device device;
  Arguments arguments;
};

// A kernel's launches in the emulator.
class Runner {
 public:
  Runner(const ExplainRequest& request, emulator::Program& program,
         const emulator::KernelInfo& kernel, const ReadTexture& read_texture)
      : request_(request), program_(program), kernel_(kernel), read_texture_(read_texture),
        operands_(std::make_unique<Operands>(request, kernel, read_texture)) {}

  const Arguments& arguments() const { return operands_->arguments; }

  // Runs and counts all blocks. If the grid exceeds the budget, runs a sample of them instead.
  void run(Explanation& result) {
    result.launch = counted(result.request.sample, *operands_);
    if (request_.sample || !request_.dumps.empty()) return;
    const std::uint64_t budget = budget_of(request_);
    const auto sample = sample_within(budget, result.launch);
    if (!sample) return;
    auto own = std::make_unique<Operands>(request_, kernel_, read_texture_);
    emulator::LaunchResult sampled = counted(sample, *own);
    if (!replaces_stopped(sampled, sample->of(request_.grid.count()), budget)) return;
    result.launch = std::move(sampled);
    result.request.sample = sample;
    result.exceeded_budget = budget;
    operands_ = std::move(own);
  }

  emulator::LaunchResult launch(const emulator::LaunchOptions& options) {
    return launch(options, *operands_);
  }

 private:
  emulator::LaunchResult launch(const emulator::LaunchOptions& options, Operands& operands) {
    return naming(request_.file, [&] {
      return program_.launch(operands.device, kernel_.name, request_.grid, request_.block,
                             request_.dynamic_shared_bytes, operands.arguments.parameters(),
                             options);
    });
  }

  // Runs all blocks, or a sample whose counts are scaled to the grid.
  emulator::LaunchResult counted(const std::optional<BlockSample>& sample, Operands& operands) {
    const std::uint64_t all_blocks = request_.grid.count();
    const std::uint64_t blocks = sample ? sample->of(all_blocks) : all_blocks;
    emulator::LaunchResult result = launch({.compute_capabilities = request_.compute_capabilities,
                                            .count = true,
                                            .budget = budget_of(request_),
                                            .threads = 0,
                                            .checks = request_.checks,
                                            .sampled_blocks = sample ? blocks : 0,
                                            .fidelity = true},
                                           operands);
    extrapolate(result, blocks, all_blocks);
    return result;
  }

  const ExplainRequest& request_;
  emulator::Program& program_;
  const emulator::KernelInfo& kernel_;
  const ReadTexture& read_texture_;
  std::unique_ptr<Operands> operands_;
};

// Refuses launches that no GPU accepts, before the compiler runs.
void require_launchable(const ExplainRequest& request) {
  constexpr std::uint64_t most_threads = 1024;
  const emulator::Dim3& block = request.block;
  const bool too_long = block.x > most_threads || block.y > most_threads || block.z > 64;
  if (too_long || block.count() > most_threads) {  // count() may overflow for long sides
    const std::string given =
        std::to_string(block.x) + " x " + std::to_string(block.y) + " x " + std::to_string(block.z);
    throw InvalidArgument("--block asks for " + given +
                          " threads; a GPU takes at most 1024 threads a block, and 64 in z");
  }
  if (request.grid.x > 0x7fffffffU || request.grid.y > 65535 || request.grid.z > 65535) {
    throw InvalidArgument("--grid: a grid has at most 2147483647 blocks in x and 65535 in y and z");
  }
  constexpr double most_of_grid = 0x1p53;  // Dim3::count() overflows for longer sides
  const double blocks = static_cast<double>(request.grid.x) * request.grid.y * request.grid.z;
  if (blocks * static_cast<double>(block.count()) > most_of_grid) {
    throw InvalidArgument(
        "--grid asks for more than 2^53 threads (9,007,199,254,740,992), the most that are "
        "counted");
  }
}

}  // namespace

const SourceFile* Explanation::source(const std::string& file) const {
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const SourceFile& each) { return each.name == file; });
  return found == sources.end() ? nullptr : &*found;
}

std::string Explanation::source_line(const std::string& file, int line) const {
  const SourceFile* found = source(file);
  if (found == nullptr || line < 1 || static_cast<std::size_t>(line) > found->lines.size())
    return {};
  const std::string& text = found->lines[static_cast<std::size_t>(line) - 1];
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::uint64_t Explanation::buffer_bytes(std::size_t parameter) const {
  const bool is_buffer = parameter < request.arguments.size() &&
                         request.arguments[parameter].kind == ArgumentSpec::Kind::buffer;
  return is_buffer ? request.arguments[parameter].bytes() : 0;
}

std::vector<MachineInstruction> Explanation::instructions_of(
    const emulator::LineCounts& line) const {
  std::vector<MachineInstruction> result;
  if (!machine_code) return result;
  std::copy_if(machine_code->instructions.begin(), machine_code->instructions.end(),
               std::back_inserter(result), [&](const MachineInstruction& each) {
                 return each.line == line.line && each.file == line.file;
               });
  return result;
}

std::optional<double> Explanation::measured_over_predicted() const {
  const LaunchPrediction* const predicted = known_prediction();
  if (predicted == nullptr || !gpu || !gpu->times) return std::nullopt;
  return gpu->times->cold.median_us / predicted->bounds.time_us();
}

std::string Explanation::counted() const {
  const std::uint64_t grid = request.grid.count();
  const std::uint64_t asked = (request.sample ? request.sample->of(grid) : grid) * launches;
  if (!has_ended(launch, asked)) {
    return fmt::format("stopped: {} of {} blocks finished; the counts cover the run until then",
                       grouped(launch.blocks), grouped(asked));
  }
  const std::uint64_t ran = launch.blocks;  // may exceed `asked`, because only whole clusters run
  if (ran < grid) {
    const std::string why =
        exceeded_budget == 0
            ? ""
            : fmt::format(", because all of them need more than {} warp instructions, the budget",
                          grouped(exceeded_budget));
    return fmt::format(
        "a sample: {} of {} blocks ran ({:.2g} %), spread over the grid{}. Counts are multiplied "
        "by {}; faults and fidelity are those of the sample",
        grouped(ran), grouped(grid), 100 * ratio(ran, grid), why, number(ratio(grid, ran)));
  }
  return launches > 1 ? fmt::format("counts are the sum of {} launches, the time is that of one",
                                    grouped(launches))
                      : "";
}

bool Explanation::is_shown(const emulator::LineCounts& line) const {
  return !line.file.empty() || line.execution.warp_instructions > 0 ||
         !instructions_of(line).empty();
}

namespace {

// Returns the arguments for a kernel with this number of parameters: see ExplainRequest::is_second.
std::vector<ArgumentSpec> own_arguments(const ExplainRequest& request, std::size_t parameters) {
  std::vector<ArgumentSpec> own = request.arguments;
  if (!request.is_second || own.size() <= parameters) return own;
  const auto others = static_cast<std::ptrdiff_t>(own.size() - parameters);
  if (*request.is_second) {
    own.erase(own.begin(), own.begin() + others);
  } else {
    own.erase(own.end() - others, own.end());
  }
  return own;
}

}  // namespace

Explanation explain(const ExplainRequest& asked, const ReadTexture& read_texture, GpuProbe* gpu) {
  require_launchable(asked);
  ExplainRequest request = asked;
  Explanation result;
  result.compilation = compile_file(request.file, request.compile);
  emulator::Program program =
      naming(request.file, [&] { return emulator::Program(result.compilation.ptx); });
  result.kernel = naming(request.file, [&] {
    return program.kernel(chosen_kernel(program, result.compilation.ptx, request));
  });
  result.kernel_name = plain_name(result.kernel.name);
  request.arguments = own_arguments(asked, result.kernel.parameter_bytes.size());
  result.request = request;

  Runner runner(request, program, result.kernel, read_texture);
  naming(request.file,
         [&] { require_members(result.kernel, result.compilation.ptx, request.arguments); });
  // A mangled name has the parameters' types. For other names, the source's declaration has them.
  if (!request.file.ends_with(".ptx") && parameter_types(result.kernel.name).empty()) {
    require_elements(declared_types(read_text(request.file).value_or(""), result.kernel_name),
                     request.arguments);
  }
  for (const DumpSpec& dump : request.dumps) runner.arguments().require_dumpable(dump);
  const auto memory = gpu != nullptr ? memory_for_gpu(runner.arguments()) : MemoryForGpu();
  const ResourceReport resources = resources_of(request, result.compilation, result.kernel);
  result.capabilities = reports_of(request, result.kernel, resources);
  runner.run(result);
  result.larger_buffers =
      enough_elements(request, program, result.kernel, result.launch.faults, read_texture);
  emulator::include_launched(result.launch);
  add_machine_code(resources, result);
  result.sources = sources_of(result.launch, request.file);
  for (const DumpSpec& dump : request.dumps) runner.arguments().dump(dump);
  if (request.keep_buffers && !result.request.sample)
    result.buffers = runner.arguments().writable();
  add_prediction(result, runner.arguments().bytes(), [&](emulator::LaunchOptions sampled) {
    sampled.budget = std::max(sampled.budget, request.budget.value_or(0));
    return runner.launch(sampled);
  });
  if (gpu == nullptr) return result;
  const auto parameters = runner.arguments().parameters();
  gpu->measure({&result, 1}, [&] {
    if (!memory.why_not.empty()) throw Unsupported(memory.why_not);
    return prepared_file(gpu->executor(), result, {parameters.begin(), parameters.end()},
                         memory.all);
  });
  return result;
}

Explanation explain_launch(ExplainRequest request, Compilation compilation,
                           emulator::KernelInfo kernel, emulator::LaunchResult launch) {
  Explanation result;
  const ResourceReport resources = resources_of(request, compilation, kernel);
  result.capabilities = reports_of(request, kernel, resources);
  result.kernel_name = plain_name(kernel.name);
  result.request = std::move(request);
  result.compilation = std::move(compilation);
  result.kernel = std::move(kernel);
  result.launch = std::move(launch);
  add_machine_code(resources, result);
  result.sources = sources_of(result.launch, result.request.file);
  return result;
}

bool is_faulty(const emulator::LaunchResult& launch) {
  return std::ranges::any_of(launch.faults, [](const emulator::Fault& each) {
    return each.kind != emulator::FaultKind::interrupted;
  });
}

emulator::SourcePlace own_place(const emulator::Fault& fault) {
  if (!emulator::is_of_toolkit(fault.file)) return {fault.file, fault.line};
  for (const emulator::SourcePlace& each : fault.called_from)
    if (!each.file.empty() && !emulator::is_of_toolkit(each.file)) return each;
  return {fault.file, fault.line};
}

void add_prediction(Explanation& explanation, const MemoryBytes& memory, const RunSample& run) {
  const ExplainRequest& request = explanation.request;
  if (!request.device || is_faulty(explanation.launch)) return;
  const auto own =
      std::find_if(explanation.capabilities.begin(), explanation.capabilities.end(),
                   [&](const CapabilityReport& each) {
                     return each.compute_capability == request.device->compute_capability;
                   });
  if (own == explanation.capabilities.end() || !own->why_not.empty()) return;
  const LaunchFacts facts = {.blocks = request.grid.count(),
                             .warps_per_block = static_cast<int>((request.block.count() + 31) / 32),
                             .blocks_per_sm = std::max(own->occupancy.blocks_per_sm, 1),
                             .memory_bytes = memory.all,
                             .texture_bytes = memory.textures,
                             .spills = spills_of(*own, explanation.kernel)};
  explanation.prediction = predict_launch(*request.device, request.block.count(), facts,
                                          {own->operations, explanation.compilation.ptx}, run);
}

std::optional<DeviceProfile> profile_of(rules::ComputeCapability cc, std::string_view gpu) {
  std::optional<DeviceProfile> fastest;
  for (const std::string& name : device_profile_names()) {
    DeviceProfile profile = find_device_profile(name);
    if (profile.compute_capability != cc) continue;
    if (profile.gpu == gpu) return profile;
    constexpr const char* bandwidth = "dram_gb_per_s";
    if (!fastest || profile.figure(bandwidth) > fastest->figure(bandwidth)) {
      fastest = std::move(profile);
    }
  }
  return fastest;
}

}  // namespace warpwise::lab
