#include "warpwise/lab/compile/compiler.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

#include "warpwise/lab/compile/host_code.hpp"
#include "warpwise/lab/compile/includes.hpp"
#include "warpwise/lab/compile/nvrtc.hpp"
#include "warpwise/lab/compile/nvrtc_options.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/compile/subprocess.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

std::string readable_text_of(const fs::path& path) {
  if (std::optional<std::string> text = read_text(path)) return *std::move(text);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw IoError(path.string() + " is a folder");
  if (!fs::exists(path, ignored))
    throw IoError(path.string() + " cannot be read: there is no such file");
  if (!fs::is_regular_file(path, ignored)) throw IoError(path.string() + " is no regular file");
  if (fs::file_size(path, ignored) > most_source_bytes) {
    throw IoError(path.string() + " has more than " + std::to_string(most_source_bytes) + " bytes");
  }
  throw IoError(path.string() + " cannot be read");
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw IoError(path.string() + " cannot be written");
}

std::string first_line_with(const std::string& text, std::string_view what) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(what) != std::string::npos) return line;
  }
  return {};
}

// Returns the folder in which the includes of a file of this name are searched first.
fs::path folder_of(const std::string& name) {
  const fs::path folder = fs::path(name).parent_path();
  return folder.empty() ? "." : folder;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

[[noreturn]] void refuse_source(const std::string& name, const std::string& compiler,
                                const std::string& log, const std::string& remark) {
  std::string reason = first_line_with(log, "error");
  if (reason.empty()) reason = first_line(log);
  throw CompileError(name + " does not compile with " + compiler + ": " + reason + remark, log);
}

[[noreturn]] void refuse_architecture(int architecture, const std::string& compiler,
                                      const std::vector<int>& known) {
  std::string list;
  for (const int each : known) list += (list.empty() ? "" : ", ") + std::to_string(each);
  throw InvalidArgument("architecture " + std::to_string(architecture) + ": " + compiler +
                        " supports only " + list);
}

// Returns the numbers that follow `prefix` in a text, ascending and without repeats.
std::vector<int> numbers_after(const std::string& text, const std::string& prefix) {
  std::vector<int> numbers;
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    at += prefix.size();
    std::size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > at && end - at < 5) numbers.push_back(std::stoi(text.substr(at, end - at)));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Returns the greatest known number up to `wanted`, or the least one if all are greater.
int nearest(const std::vector<int>& known, int wanted) {
  const auto above = std::upper_bound(known.begin(), known.end(), wanted);
  return above == known.begin() ? *above : *std::prev(above);
}

std::vector<std::string> shared_options(const CompileOptions& options,
                                        const std::string& architecture) {
  std::vector<std::string> arguments = {"-arch=" + architecture, "-lineinfo"};
  if (!options.fused_multiply_add) arguments.emplace_back("--fmad=false");
  for (const std::string& define : options.defines) arguments.push_back("-D" + define);
  for (const fs::path& folder : options.include_folders) {
    arguments.push_back("-I" + folder.string());
  }
  return arguments;
}

// Returns the options as nvcc must get them. It splits the values of -D and -I at commas, except at
// \, in the value of -D and between double quotes in that of -I.
CompileOptions with_whole_values(CompileOptions options) {
  for (std::string& define : options.defines) {
    for (std::size_t at = define.find(','); at != std::string::npos; at = define.find(',', at + 2))
      define.insert(at, 1, '\\');
  }
  for (fs::path& folder : options.include_folders) {
    if (folder.string().find(',') != std::string::npos) folder = '"' + folder.string() + '"';
  }
  return options;
}

// Thrown if nvcc starts but lacks something that it needs, most often a host compiler. The source
// is not at fault.
struct NvccUnusable {
  std::string why;
};

Compilation compile_with_nvcc(const fs::path& source, const std::string& name,
                              const CompileOptions& options, const fs::path& nvcc,
                              const TemporaryFolder& folder) {
  const std::string version = run_program({nvcc.string(), "--version"}, folder).output;
  const std::size_t v = version.rfind(", V");
  Compilation result;
  result.name = name;
  result.options = options;
  result.compiler =
      "nvcc " +
      (v == std::string::npos ? "" : version.substr(v + 3, version.find('\n', v) - v - 3) + " ") +
      "(" + nvcc.string() + ")";
  const fs::path ptx = folder / "kernel.ptx";
  std::vector<std::string> arguments = {nvcc.string(), "-ptx", "--expt-relaxed-constexpr",
                                        "--extended-lambda"};
  // host_code is false for the project's own kernels. They include the library's headers, which
  // nvcc compiles only as C++20.
  if (!options.host_code) arguments.emplace_back("-std=c++20");
  const auto shared =
      shared_options(with_whole_values(options), "compute_" + std::to_string(options.architecture));
  arguments.insert(arguments.end(), shared.begin(), shared.end());
  arguments.insert(arguments.end(), {"-o", ptx.string(), source.string()});
  const ProgramRun run = run_program(arguments, folder);
  if (run.exit_code != 0) {
    if (run.output.find("nsupported gpu architecture") != std::string::npos) {
      const auto list = run_program({nvcc.string(), "--list-gpu-arch"}, folder).output;
      const std::vector<int> known = numbers_after(list, "compute_");
      if (!options.nearest_architecture || known.empty())
        refuse_architecture(options.architecture, result.compiler, known);
      CompileOptions own = options;
      own.architecture = nearest(known, options.architecture);
      own.nearest_architecture = false;
      return compile_with_nvcc(source, name, own, nvcc, folder);
    }
    // An error of the source begins with its position: FILE(LINE) from nvcc, FILE:LINE: from the
    // preprocessor.
    const bool of_source = run.output.find("): error") != std::string::npos ||
                           run.output.find("): catastrophic error") != std::string::npos ||
                           run.output.find("error:") != std::string::npos;
    if (!of_source) throw NvccUnusable{result.compiler + ": " + first_line(run.output)};
    refuse_source(name, result.compiler, run.output, "");
  }
  if (!run.output.empty()) result.notes.push_back(run.output);
  result.ptx = readable_text_of(ptx);
  return result;
}

Compilation compile_with_nvrtc(const std::string& text, const std::string& name,
                               const CompileOptions& options, const Toolchain& toolchain,
                               const Nvrtc& nvrtc) {
  const auto& known = nvrtc.architectures();
  Compilation result;
  result.name = name;
  result.options = options;
  if (std::find(known.begin(), known.end(), options.architecture) == known.end()) {
    if (!options.nearest_architecture || known.empty())
      refuse_architecture(options.architecture, nvrtc.name(), known);
    result.options.architecture = nearest(known, options.architecture);
  }
  result.compiler = nvrtc.name();
  result.source = text;
  const auto arguments =
      nvrtc_options(result, toolchain, "compute_" + std::to_string(result.options.architecture));
  Nvrtc::Output output = nvrtc.compile(text, name, arguments, false);
  if (!output.compiled) {
    if (!options.host_code) refuse_source(name, nvrtc.name(), output.log, "");
    const DeviceCode device = without_host_functions(text);
    if (device.left_out.empty()) refuse_source(name, nvrtc.name(), output.log, "");
    std::string list;
    for (const std::string& function : device.left_out) {
      list += (list.empty() ? "" : ", ") + function;
    }
    const std::string whole_log = std::move(output.log);
    output = nvrtc.compile(device.text, name, arguments, false);
    if (!output.compiled) {
      // If the second compilation's error is new, it comes from leaving out the host functions.
      // The first compilation's errors are then reported.
      const bool of_source =
          whole_log.find(first_line_with(output.log, "error")) != std::string::npos;
      refuse_source(
          name, nvrtc.name(), of_source ? output.log : whole_log,
          " (NVRTC takes no host code; left out: " + list +
              ". Move types, variables and classes of host code to another file, or install nvcc)");
    }
    result.source = device.text;
    result.notes.push_back("NVRTC takes no host code; left out: " + list);
  }
  if (!output.log.empty()) result.notes.push_back(output.log);
  result.ptx = std::move(output.code);
  return result;
}

[[noreturn]] void refuse_without_compiler(const Toolchain& toolchain, const std::string& name,
                                          const std::string& why) {
  std::string places;
  for (const fs::path& place : toolchain.searched) {
    places += (places.empty() ? "" : ", ") + place.string();
  }
  throw Unsupported("there is no CUDA compiler to compile " + name +
                    ": run scripts/get-nvrtc.sh to download NVIDIA's run-time compiler, or install "
                    "a CUDA toolkit, which has nvcc; .ptx files need neither (searched: " +
                    places + (why.empty() ? "" : "; " + why) + ")");
}

// Compiles a text. `file` is the text's path for nvcc; if it is empty, the text is written to a
// temporary file.
Compilation compile(const fs::path& file, const std::string& text, const std::string& name,
                    const CompileOptions& options, const Toolchain& toolchain) {
  std::vector<std::string> notes;
  if (options.compiler != CompilerChoice::nvrtc && !toolchain.nvcc.empty()) {
    const TemporaryFolder folder;
    fs::path source = file;
    CompileOptions own = options;
    if (source.empty()) {
      source = folder / "kernel.cu";
      write_text(source, "#line 1 \"" + name + "\"\n" + text);
      own.include_folders.insert(own.include_folders.begin(), folder_of(name));
    }
    try {
      return compile_with_nvcc(source, name, own, toolchain.nvcc, folder);
    } catch (const NvccUnusable& unusable) {
      if (options.compiler == CompilerChoice::nvcc) throw Unsupported(unusable.why);
      notes.push_back("not used: " + unusable.why);
    }
  }
  std::string why = notes.empty() ? "" : notes[0];
  if (options.compiler != CompilerChoice::nvcc) {
    if (const auto nvrtc = Nvrtc::load(toolchain.nvrtc_libraries, &why)) {
      Compilation result = compile_with_nvrtc(text, name, options, toolchain, *nvrtc);
      result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
      return result;
    }
  }
  refuse_without_compiler(toolchain, name, why);
}

}  // namespace

std::vector<std::string> nvrtc_options(const Compilation& compilation, const Toolchain& toolchain,
                                       const std::string& architecture) {
  std::vector<std::string> options = shared_options(compilation.options, architecture);
  options.emplace_back("-default-device");
  options.push_back("-I" + folder_of(compilation.name).string());
  for (const fs::path& include : toolchain.include_folders) {
    options.push_back("-I" + include.string());
  }
  return options;
}

Compilation compile_file(const fs::path& path, const CompileOptions& options,
                         const Toolchain& toolchain) {
  const std::string extension = path.extension().string();
  if (extension != ".cu" && extension != ".ptx") {
    throw InvalidArgument(path.string() + " is neither a .cu nor a .ptx file");
  }
  const std::string text = readable_text_of(path);
  if (extension == ".ptx") {
    Compilation result;
    result.ptx = text;
    result.name = path.string();
    result.compiler = "none: the file is PTX";
    result.options = options;
    return result;
  }
  require_regular_includes(text, path, options.include_folders);
  return compile(path, text, path.string(), options, toolchain);
}

Compilation compile_text(const std::string& text, const std::string& name,
                         const CompileOptions& options, const Toolchain& toolchain) {
  return compile({}, text, name, options, toolchain);
}

}  // namespace warpwise::lab
