// Names the line of a finding on the whole kernel.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/ptx/parser.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/lab/explain/findings.hpp"
#include "warpwise/lab/explain/wording.hpp"
#include "warpwise/rules/machine_code.hpp"

namespace warpwise::lab {
namespace {

using Place = std::pair<std::string, int>;

constexpr std::size_t longest_line = 500;  // std::regex takes stack for each character

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

// Returns a line without its comments.
std::string without_comments(const std::string& code) {
  static const std::regex comment(R"(//.*|/\*.*?\*/)");
  return std::regex_replace(code, comment, " ");
}

// Returns true if a line has a cast to double or a variable that the file declares as a double.
bool has_double_value(const std::string& code, const std::vector<std::string>& file) {
  static const std::regex declaration(R"(\bdouble\b[\s*&]*(?:__restrict__\s*)?(\w+)?)");
  static const std::regex word(R"([A-Za-z_]\w*)");
  std::set<std::string> values = {"double"};
  for (const std::string& each : file) {
    if (each.size() > longest_line) continue;
    const std::string line = without_comments(each);
    for (std::sregex_iterator at(line.begin(), line.end(), declaration), end; at != end; ++at)
      if ((*at)[1].matched) values.insert((*at)[1]);
  }
  return std::any_of(std::sregex_iterator(code.begin(), code.end(), word), std::sregex_iterator(),
                     [&](const std::smatch& each) { return values.contains(each.str()); });
}

// Says how a line computes in double: by constants, or by the types of its values.
void tell_constants(const std::string& line, const std::vector<std::string>& file,
                    std::string& text) {
  static const std::regex constant(
      R"((?:^|[^\w.])((\d+\.\d*|\.\d+)([eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.]))");
  const std::string general = constant_is_double;
  const std::size_t at = text.find(general);
  if (at == std::string::npos || line.size() > longest_line) return;
  const std::string code = without_comments(line);
  std::vector<std::string> own;
  for (std::sregex_iterator each(code.begin(), code.end(), constant), end; each != end; ++each)
    if (std::ranges::find(own, (*each)[1].str()) == own.end()) own.push_back((*each)[1]);
  if (own.empty() || has_double_value(code, file)) {
    text.replace(at, general.size(), "If single precision is exact enough, compute in float.");
  } else {
    text.replace(at, general.size(),
                 fmt::format("A constant without f is a double: write {}f, not {}.",
                             fmt::join(own, "f and "), fmt::join(own, " and ")));
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
  if (finding.by == LineCost::doubles) {
    const SourceFile* const source = explanation.source(dearest->file);
    tell_constants(explanation.source_line(dearest->file, dearest->line),
                   source == nullptr ? std::vector<std::string>{} : source->lines,
                   finding.advice.text);
  }
  finding.advice.text =
      place_of(explanation, *dearest) + words_of(finding.by) + " " + finding.advice.text;
}

}  // namespace warpwise::lab
