#include "warpwise/cli/host_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/host_code_listing.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/compile/subprocess.hpp"

namespace warpwise::cli {
namespace {

/// Texts of instructions. The key is the instruction's offset in the code.
using Instructions = std::map<std::size_t, std::string>;

// Returns the bytes of the code in hexadecimal, 16 in a line.
Instructions hexadecimal(const emulator::HostCodePart& part) {
  constexpr std::size_t width = 16;
  Instructions lines;
  for (std::size_t i = 0; i < part.bytes.size(); ++i)
    lines[part.offset + i / width * width] += fmt::format("{:02x} ", part.bytes[i]);
  return lines;
}

// Disassembles the code with objdump. Returns nothing if objdump is missing or fails.
Instructions disassembled(const std::vector<emulator::HostCodePart>& parts) {
  const std::filesystem::path objdump = lab::in_search_path("objdump");
  if (objdump.empty()) return {};
  const lab::TemporaryFolder folder;
  const std::filesystem::path file = folder / "code";
  std::ofstream out(file, std::ios::binary);
  for (const auto& part : parts)
    out.write(reinterpret_cast<const char*>(part.bytes.data()),
              static_cast<std::streamsize>(part.bytes.size()));
  out.close();
  const lab::ProgramRun run = lab::run_program(
      {objdump.string(), "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel",
       "--no-show-raw-insn", fmt::format("--adjust-vma={}", parts.front().offset), file.string()},
      folder);
  Instructions instructions;
  if (run.exit_code != 0) return instructions;
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    // A line of objdump has this form: "  1c: mov    rbx,rdi"
    const std::size_t colon = line.find(":\t");
    if (colon == std::string::npos) continue;
    instructions[std::stoul(line.substr(0, colon), nullptr, 16)] = line.substr(colon + 2);
  }
  return instructions;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string host_code_text(const lab::ExplainRequest& request) {
  const lab::Compilation compilation = lab::compile_file(request.file, request.compile);
  const std::vector<std::string> names = emulator::Program(compilation.ptx).kernel_names();
  const std::string kernel = request.kernel.empty() && names.size() == 1
                                 ? names.front()
                                 : lab::kernel_in(compilation.ptx, request.kernel);
  const std::vector<emulator::HostCodePart> parts = emulator::host_code_of(compilation.ptx, kernel);
  if (parts.empty()) {
    throw Error("the emulator makes no machine code of " + kernel +
                ". Machine code needs a CPU with AVX2, a build with WARPWISE_JIT and a kernel that "
                "is not very long");
  }
  const std::vector<std::string> ptx = lines_of(compilation.ptx);
  const Instructions all = disassembled(parts);
  std::string text = kernel + ": PTX, and the machine code of this CPU below it\n";
  for (const emulator::HostCodePart& part : parts) {
    for (const int line : part.ptx_lines) {
      const auto at = static_cast<std::size_t>(line - 1);
      std::string instruction = at < ptx.size() ? ptx[at] : "";
      instruction.erase(0, std::min(instruction.find_first_not_of(" \t"), instruction.size()));
      text += fmt::format("{:6}  {}\n", line, instruction);
    }
    const Instructions own = all.empty() ? hexadecimal(part) : Instructions();
    const Instructions& from = all.empty() ? own : all;
    for (auto each = from.lower_bound(part.offset);
         each != from.end() && each->first < part.offset + part.bytes.size(); ++each)
      text += fmt::format("        {:6x}  {}\n", each->first, each->second);
  }
  return text;
}

}  // namespace warpwise::cli
