// Names the line of a finding on the whole kernel.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/ptx/parser.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/lab/explain/findings.hpp"
#include "warpwise/lab/explain/wording.hpp"
#include "warpwise/rules/machine_code.hpp"

namespace warpwise::lab {
namespace {

using Place = std::pair<std::string, int>;

// Returns the share of each line's PTX instructions that become several machine instructions, times
// their number.
std::map<Place, double> divisions_of(const Explanation& explanation) {
  std::map<Place, double> further;
  std::map<Place, double> all;
  const ptx::Module module = ptx::parse(explanation.compilation.ptx);
  for (const ptx::Function& function : module.functions) {
    if (function.name != explanation.kernel.name) continue;
    for (const ptx::Instruction& each : function.instructions) {
      if (each.source.file < 0) continue;
      const Place place = {module.files[static_cast<std::size_t>(each.source.file)],
                           each.source.line};
      std::string name = each.opcode;
      for (const std::string& modifier : each.modifiers) name += "." + modifier;
      const rules::MachineCode* const code = rules::machine_code(name);
      if (code != nullptr) further[place] += code->first.all;
      ++all[place];
    }
  }
  for (auto& [place, count] : further) count /= all[place];
  return further;
}

const char* words_of(LineCost by) {
  switch (by) {
    case LineCost::divisions: return " divides most.";
    case LineCost::doubles: return " computes most in double precision.";
    case LineCost::accesses: return " accesses global memory most.";
    case LineCost::loaded_bytes: return " loads most.";
    case LineCost::shared_loads: return " loads most from shared memory.";
    case LineCost::atomics: return " has most of the atomics.";
    case LineCost::none: break;
  }
  return "";
}

// Returns the counts of a line for each cost but divisions.
double cost_of(const emulator::LineCounts& line, std::size_t cc, LineCost by) {
  const emulator::MemoryCounts& memory = line.memory[cc];
  switch (by) {
    case LineCost::doubles: return static_cast<double>(line.execution.float64_operations);
    case LineCost::accesses:
      return static_cast<double>(memory.global_load.requests + memory.global_store.requests);
    case LineCost::loaded_bytes: return static_cast<double>(memory.global_load.bytes_requested);
    case LineCost::shared_loads: return static_cast<double>(memory.shared_load.requests);
    case LineCost::atomics: return static_cast<double>(memory.global_atomic.requests);
    case LineCost::divisions:
    case LineCost::none: break;
  }
  return 0;
}

// Says how a line computes in double: by a constant, or by the types of its values.
void tell_constant(const std::string& code, std::string& text) {
  static const std::regex constant(
      R"((^|[^\w.])((\d+\.\d*|\.\d+)(e[-+]?\d+)?|\d+e[-+]?\d+)($|[^\w.]))");
  constexpr std::size_t longest_line = 500;  // std::regex takes stack for each character
  const std::string general = constant_is_double;
  const std::size_t at = text.find(general);
  std::smatch match;
  if (at == std::string::npos || code.size() > longest_line) return;
  if (std::regex_search(code, match, constant)) {
    const std::string own = match[2];
    text.replace(at, general.size(),
                 fmt::format("A constant without f is a double: write {0}f, not {0}.", own));
  } else {
    text.replace(at, general.size(), "If single precision is exact enough, compute in float.");
  }
}

}  // namespace

void name_line(const Explanation& explanation, std::size_t cc, Finding& finding) {
  if (finding.by == LineCost::none) return;
  std::map<Place, double> divisions;
  if (finding.by == LineCost::divisions) {
    try {
      divisions = divisions_of(explanation);
    } catch (const InvalidArgument&) {
      return;  // no PTX that a parser of its own reads
    }
  }
  const emulator::LineCounts* dearest = nullptr;
  double most = 0;
  for (const emulator::LineCounts& each : explanation.launch.lines) {
    if (each.line == 0 || emulator::is_of_toolkit(each.file)) continue;
    double cost = cost_of(each, cc, finding.by);
    if (const auto found = divisions.find({each.file, each.line}); found != divisions.end())
      cost = found->second * static_cast<double>(each.execution.warp_instructions);
    if (cost <= most) continue;
    most = cost;
    dearest = &each;
  }
  if (dearest == nullptr) return;
  if (finding.by == LineCost::doubles)
    tell_constant(explanation.source_line(dearest->file, dearest->line), finding.advice.text);
  finding.advice.text =
      place_of(explanation, *dearest) + words_of(finding.by) + " " + finding.advice.text;
}

}  // namespace warpwise::lab
