#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>

#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/compile/nvrtc.hpp"
#include "warpwise/lab/compile/nvrtc_options.hpp"
#include "warpwise/lab/compile/subprocess.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

// Returns the whole number in front of `what`; 0 without one.
int number_before(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  int value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

// Reads the report of `ptxas -v` on one kernel. Its lines:
//   ptxas info    : Compiling entry function 'NAME' for 'sm_75'
//   ptxas info    : Function properties for NAME
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 14 registers, used 1 barriers, 4096 bytes smem, 368 bytes cmem[0]
std::optional<KernelResources> resources_in(const std::string& log, const std::string& kernel,
                                            int architecture) {
  KernelResources result;
  result.architecture = architecture;
  bool in_kernel = false;
  bool in_frame = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Compiling entry function '") != std::string::npos) {
      in_kernel = line.find("'" + kernel + "'") != std::string::npos;
    } else if (line.find("Function properties for ") != std::string::npos) {
      // ptxas also reports the functions that the kernel calls, before or after the kernel.
      in_frame = in_kernel && line.ends_with(" " + kernel);
    } else if (in_frame && line.find("bytes stack frame") != std::string::npos) {
      result.stack_bytes = number_before(line, " bytes stack frame");
      result.spill_store_bytes = number_before(line, " bytes spill stores");
      result.spill_load_bytes = number_before(line, " bytes spill loads");
      in_frame = false;
    } else if (in_kernel && line.find(": Used ") != std::string::npos) {
      result.registers = number_before(line, " registers");
      result.shared_bytes = number_before(line, " bytes smem");
      return result;
    }
  }
  return std::nullopt;
}

// The least architecture that the PTX needs: 75 for ".target sm_75". With a suffix, as in
// "sm_90a", the PTX runs on that architecture alone.
struct Target {
  int number = 0;
  std::string suffix;
};

Target target_of(const std::string& ptx) {
  const std::size_t at = ptx.find(".target");
  if (at == std::string::npos) return {};
  const std::size_t begin = ptx.find("sm_", at);
  if (begin == std::string::npos) return {};
  Target target;
  const char* end = ptx.data() + ptx.size();
  const auto [rest, error] = std::from_chars(ptx.data() + begin + 3, end, target.number);
  if (error == std::errc() && rest != end && std::isalpha(static_cast<unsigned char>(*rest)) != 0) {
    target.suffix = *rest;
  }
  return target;
}

std::optional<int> nearest(std::span<const int> known, int wanted, int least) {
  std::optional<int> best;
  for (const int each : known) {
    if (each < least) continue;
    if (!best || (each <= wanted && each > *best)) best = each;
  }
  return best;
}

std::vector<int> architectures_of(const std::string& help) {
  std::vector<int> numbers;
  for (std::size_t at = help.find("'sm_"); at != std::string::npos; at = help.find("'sm_", at)) {
    at += 4;
    int number = 0;
    const auto [rest, error] = std::from_chars(help.data() + at, help.data() + help.size(), number);
    if (error == std::errc() && rest != help.data() + help.size() && *rest == '\'') {
      numbers.push_back(number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Data on a kernel's machine code for one architecture: the compiler's log, nvdisasm's output
// (empty without nvdisasm), and the decoded instructions (empty without ptxas).
struct Built {
  std::string log;
  std::string disassembly;
  std::vector<MachineOperation> operations;
};
using Build = std::function<Built(int architecture)>;

// Returns nvdisasm's output; empty if it fails, for example because it is older than the
// architecture.
std::string disassembly_of(const fs::path& cubin, const fs::path& nvdisasm,
                           const TemporaryFolder& folder) {
  if (nvdisasm.empty()) return {};
  const ProgramRun run = run_program({nvdisasm.string(), "-g", "-c", cubin.string()}, folder);
  return run.exit_code == 0 ? run.output : "";
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

ResourceReport report_of(const std::string& kernel,
                         std::span<const rules::ComputeCapability> compute_capabilities,
                         std::span<const int> known, int least, const Build& build) {
  ResourceReport report;
  std::map<int, std::optional<KernelResources>> built;
  for (const rules::ComputeCapability cc : compute_capabilities) {
    const auto architecture = nearest(known, 10 * cc.major + cc.minor, least);
    report.by_compute_capability.emplace_back();
    if (!architecture) {
      report.why_unknown =
          "the compiler supports no architecture from sm_" + std::to_string(least) + " on";
      continue;
    }
    if (!built.contains(*architecture)) {
      Built made = build(*architecture);
      std::optional<KernelResources>& resources = built[*architecture];
      resources = resources_in(made.log, kernel, *architecture);
      if (!resources) {
        report.why_unknown = made.log.substr(0, made.log.find('\n'));
      } else if (!made.disassembly.empty()) {
        resources->global_instructions =
            global_instructions_in(text_of_kernel(made.disassembly, kernel));
        resources->machine_code = machine_code_in(made.disassembly, kernel);
      }
      if (resources) resources->operations = std::move(made.operations);
    }
    report.by_compute_capability.back() = built[*architecture];
  }
  return report;
}

ResourceReport with_ptxas(const Compilation& compilation, const std::string& kernel,
                          std::span<const rules::ComputeCapability> compute_capabilities,
                          const fs::path& ptxas, const fs::path& nvdisasm) {
  const TemporaryFolder folder;
  const fs::path ptx = folder / "kernel.ptx";
  std::ofstream(ptx, std::ios::binary) << ptx_of_kernel(compilation.ptx, kernel);
  const Target target = target_of(compilation.ptx);
  std::vector<int> known = architectures_of(run_program({ptxas.string(), "--help"}, folder).output);
  if (!target.suffix.empty()) known = {target.number};
  ResourceReport report =
      report_of(kernel, compute_capabilities, known, target.number, [&](int architecture) {
        std::vector<std::string> arguments = {
            ptxas.string(), "-v",
            "-lineinfo",    "-arch=sm_" + std::to_string(architecture) + target.suffix,
            "-o",           (folder / "kernel.cubin").string(),
            ptx.string()};
        if (!compilation.options.fused_multiply_add) arguments.emplace_back("--fmad=false");
        const std::string log = run_program(arguments, folder).output;
        const fs::path cubin = folder / "kernel.cubin";
        const std::string bytes = bytes_of(cubin);
        return Built{log, disassembly_of(cubin, nvdisasm, folder),
                     machine_operations(std::as_bytes(std::span(bytes)), kernel)};
      });
  report.built_with = "ptxas (" + ptxas.string() + ")";
  return report;
}

ResourceReport with_nvrtc(const Compilation& compilation, const std::string& kernel,
                          std::span<const rules::ComputeCapability> compute_capabilities,
                          const Toolchain& toolchain, const Nvrtc& nvrtc,
                          const fs::path& nvdisasm) {
  ResourceReport report =
      report_of(kernel, compute_capabilities, nvrtc.architectures(),
                compilation.options.architecture, [&](int architecture) {
                  std::vector<std::string> options =
                      nvrtc_options(compilation, toolchain, "sm_" + std::to_string(architecture));
                  options.emplace_back("--ptxas-options=-v");
                  if (const int cap = compilation.options.max_registers; cap > 0) {
                    options.push_back("--maxrregcount=" + std::to_string(cap));
                  }
                  const Nvrtc::Output made =
                      nvrtc.compile(compilation.source, compilation.name, options, true);
                  if (nvdisasm.empty() || !made.compiled) return Built{made.log, "", {}};
                  const TemporaryFolder folder;
                  const fs::path cubin = folder / "kernel.cubin";
                  std::ofstream(cubin, std::ios::binary) << made.code;
                  return Built{made.log, disassembly_of(cubin, nvdisasm, folder), {}};
                });
  report.built_with = nvrtc.name();
  return report;
}

// Returns the position after the brace that closes the first '{' from `at` on; npos if there is
// none.
std::size_t end_of_body(const std::string& ptx, std::size_t at) {
  int depth = 0;
  for (; at < ptx.size(); ++at) {
    if (ptx.compare(at, 2, "//") == 0) {
      at = ptx.find('\n', at);
      if (at == std::string::npos) return at;
    }
    if (ptx[at] == '{') ++depth;
    if (ptx[at] == '}' && --depth == 0) return at + 1;
  }
  return std::string::npos;
}

ResourceReport unknown(std::size_t count, const std::string& why) {
  ResourceReport report;
  report.by_compute_capability.resize(count);
  report.why_unknown = why;
  return report;
}

}  // namespace

GlobalInstructions global_instructions_in(std::string_view disassembly) {
  GlobalInstructions counts;
  // A line is "/*00e0*/ @P0 LDG.E.128.CONSTANT R4, [R6.64] ;".
  for (std::size_t at = 0; at < disassembly.size();) {
    at = disassembly.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(disassembly.find_first_of(" \t\r\n", at), disassembly.size());
    const std::string_view name = disassembly.substr(at, end - at);
    at = end;
    const bool load = name == "LDG" || name.starts_with("LDG.");
    if (!load && name != "STG" && !name.starts_with("STG.")) continue;
    const auto has = [&](std::string_view part) {
      for (std::size_t dot = name.find('.'); dot != std::string_view::npos;) {
        const std::size_t next = name.find('.', dot + 1);
        if (name.substr(dot + 1, next - dot - 1) == part) return true;
        dot = next;
      }
      return false;
    };
    if (has("U8") || has("S8") || has("U16") || has("S16") || has("256")) continue;
    if (has("128"))
      ++(load ? counts.ldg_128 : counts.stg_128);
    else if (has("64"))
      ++(load ? counts.ldg_64 : counts.stg_64);
    else
      ++(load ? counts.ldg_32 : counts.stg_32);
  }
  return counts;
}

std::string ptx_of_kernel(const std::string& ptx, const std::string& kernel) {
  constexpr std::string_view entry = ".entry ";
  std::string result;
  std::size_t kept = 0;  // everything before this is in `result` or was left out
  for (std::size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at)) {
    const std::size_t line = ptx.rfind('\n', at) + 1;  // in the first line: npos + 1, which is 0
    const std::size_t name = at + entry.size();
    const std::size_t end = end_of_body(ptx, at);
    if (end == std::string::npos) return ptx;
    const std::string_view linkage = std::string_view(ptx).substr(line, at - line);
    if (linkage != "" && linkage != ".visible " && linkage != ".weak ") return ptx;
    const std::size_t name_end = ptx.find_first_of("( \t\r\n", name);
    if (ptx.compare(name, name_end - name, kernel) != 0) {
      result.append(ptx, kept, line - kept);
      const auto removed = std::string_view(ptx).substr(line, end - line);
      result.append(static_cast<std::size_t>(std::ranges::count(removed, '\n')), '\n');
      kept = end;
    }
    at = end;
  }
  return result.append(ptx, kept);
}

std::string with_register_cap(const std::string& ptx, int max_registers) {
  const std::string directive = ".maxnreg " + std::to_string(max_registers) + "\n";
  constexpr std::string_view entry = ".entry ";
  std::string result;
  std::size_t kept = 0;
  for (std::size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at)) {
    // A kernel's parameters and directives contain no brace.
    at = ptx.find('{', at);
    if (at == std::string::npos) break;
    result.append(ptx, kept, at - kept).append(directive);
    kept = at;
  }
  return result.append(ptx, kept);
}

int target_architecture(const std::string& ptx) { return target_of(ptx).number; }

std::string built_for(const KernelResources& resources, rules::ComputeCapability asked) {
  const std::string built = "sm_" + std::to_string(resources.architecture);
  return resources.architecture == 10 * asked.major + asked.minor
             ? built
             : built + " (nearest to " + rules::to_string(asked) + ")";
}

ResourceReport kernel_resources(const Compilation& compilation, const std::string& kernel,
                                std::span<const rules::ComputeCapability> compute_capabilities,
                                const Toolchain& toolchain, bool disassemble) {
  const std::size_t count = compute_capabilities.size();
  const fs::path nvdisasm = disassemble ? toolchain.nvdisasm : fs::path{};
  try {
    if (!toolchain.ptxas.empty()) {
      return with_ptxas(compilation, kernel, compute_capabilities, toolchain.ptxas, nvdisasm);
    }
    if (compilation.source.empty()) {
      return unknown(count, "there is no ptxas here to build machine code from PTX");
    }
    std::string why;
    if (const auto nvrtc = Nvrtc::load(toolchain.nvrtc_libraries, &why)) {
      return with_nvrtc(compilation, kernel, compute_capabilities, toolchain, *nvrtc, nvdisasm);
    }
    return unknown(count, why);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return unknown(count, error.what());
  }
}

}  // namespace warpwise::lab
