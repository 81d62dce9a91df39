// Names the line that costs most in a finding on the whole kernel.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/ptx/parser.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/number_text.hpp"
#include "warpwise/rules/machine_code.hpp"

namespace warpwise::lab {
namespace {

using Place = std::pair<std::string, int>;

// Extra machine instructions of a line. They arise because some PTX instructions become several
// machine instructions. Each figure is a mean over all of the line's PTX instructions.
struct Further {
  double divisions = 0;  // from divisions, roots and special functions
  double all = 0;        // from all PTX instructions
};

std::map<Place, Further> further_of(const Explanation& explanation) {
  static const std::set<std::string> divisions = {"div",   "rem", "rcp", "sqrt",
                                                  "rsqrt", "lg2", "sin", "cos"};
  std::map<Place, Further> further;
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
      if (code != nullptr) {
        further[place].all += code->first.all;
        if (divisions.contains(each.opcode)) further[place].divisions += code->first.all;
      }
      ++all[place];
    }
  }
  for (auto& [place, count] : further) {
    count.divisions /= all[place];
    count.all /= all[place];
  }
  return further;
}

// Returns the extra machine instructions that each line's divisions ran. Returns none if divisions
// ran less than 75 % of the kernel's extra machine instructions.
std::map<Place, double> divisions_of(const Explanation& explanation) {
  const std::map<Place, Further> further = further_of(explanation);
  std::map<Place, double> divisions;
  double of_divisions = 0;
  double all = 0;
  for (const emulator::LineCounts& line : explanation.launch.lines) {
    const auto found = further.find({line.file, line.line});
    if (found == further.end()) continue;
    const auto instructions = static_cast<double>(line.execution.warp_instructions);
    of_divisions += divisions[found->first] = instructions * found->second.divisions;
    all += instructions * found->second.all;
  }
  constexpr double most = 0.75;
  if (of_divisions < most * all) divisions.clear();
  return divisions;
}

const char* words_of(LineCost by) {
  switch (by) {
    case LineCost::divisions: return " divides most.";
    case LineCost::doubles: return " computes most in double precision.";
    case LineCost::accesses: return " accesses global memory most.";
    case LineCost::loaded_bytes: return " loads most.";
    case LineCost::shared_loads: return " loads most from shared memory.";
    case LineCost::atomics: return " has most of the global atomics.";
    case LineCost::barriers: return " has most of the barriers.";
    case LineCost::none: break;
  }
  return "";
}

// Returns a line's count for a cost other than divisions.
double cost_of(const emulator::LineCounts& line, std::size_t cc, LineCost by) {
  const emulator::MemoryCounts& memory = line.memory[cc];
  switch (by) {
    case LineCost::doubles: return static_cast<double>(line.execution.float64_operations);
    case LineCost::accesses:
      return static_cast<double>(transactions(memory.global_load) +
                                 transactions(memory.global_store));
    case LineCost::loaded_bytes: return static_cast<double>(memory.global_load.bytes_requested);
    case LineCost::shared_loads: return static_cast<double>(memory.shared_load.requests);
    case LineCost::atomics: return static_cast<double>(memory.global_atomic.requests);
    case LineCost::barriers: return static_cast<double>(line.execution.barriers);
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

// Returns the double constants of a line; none if the line also has a double variable or cast.
std::vector<std::string> constants_on(const std::string& line,
                                      const std::vector<std::string>& file) {
  static const std::regex constant(
      R"((?:^|[^\w.])((\d+\.\d*|\.\d+)([eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.]))");
  if (line.size() > longest_line) return {};
  const std::string code = without_comments(line);
  std::vector<std::string> own;
  for (std::sregex_iterator each(code.begin(), code.end(), constant), end; each != end; ++each)
    if (std::ranges::find(own, (*each)[1].str()) == own.end()) own.push_back((*each)[1]);
  if (has_double_value(code, file)) own.clear();
  return own;
}

// Adapts the sentence constant_is_double in a finding's text to a line. If only constants make the
// line compute in double, names them and other lines with double constants; else suggests float.
void tell_constants(const Explanation& explanation, const emulator::LineCounts& line,
                    std::string& text) {
  const std::string general = constant_is_double;
  const std::size_t at = text.find(general);
  if (at == std::string::npos) return;
  const SourceFile* const source = explanation.source(line.file);
  const std::vector<std::string> file =
      source == nullptr ? std::vector<std::string>{} : source->lines;
  const auto constants = [&](const emulator::LineCounts& each) {
    return constants_on(explanation.source_line(each.file, each.line), file);
  };
  const std::vector<std::string> own = constants(line);
  if (own.empty()) {
    text.replace(at, general.size(), "If single precision is exact enough, compute in float.");
    return;
  }
  std::vector<std::string> others;
  for (const emulator::LineCounts& each : explanation.launch.lines) {
    if (each.file == line.file && each.line != line.line && each.execution.float64_operations > 0 &&
        !constants(each).empty())
      others.push_back(line_name(explanation, each));
  }
  text.replace(
      at, general.size(),
      fmt::format(
          "A constant without f is a double: write {}f, not {}.{}", fmt::join(own, "f and "),
          fmt::join(own, " and "),
          others.empty() ? "" : fmt::format(" Others are at: {}.", fmt::join(others, ", "))));
}

// Says if a line can load less by reusing data; reuse_at() defines the values.
enum class Reuse { possible, chain, none };

// Returns `chain` if each load's index is the value of the load before it. Returns `none` if loaded
// indices lead into a buffer larger than shared memory.
Reuse reuse_at(const Explanation& explanation, const emulator::LineCounts& line) {
  constexpr std::uint64_t most_shared = 49'152;  // limit of a block's static shared memory in bytes
  Reuse reuse = Reuse::possible;
  for (const GlobalAccess& each : accesses_of(explanation)) {
    if (each.is_store || each.file != line.file || each.line != line.line ||
        each.address.kind != AddressForm::Kind::loaded || !each.address.parameter)
      continue;
    if (each.address.sources.contains(*each.address.parameter)) return Reuse::chain;
    if (explanation.buffer_bytes(*each.address.parameter) > most_shared) reuse = Reuse::none;
  }
  return reuse;
}

// Replaces the advice for a line whose loads wait for each other. No model covers the gain.
void tell_chain(Advice& advice) {
  advice = {
      "Each load waits for the one before it, whose value is the next index. Let each thread "
      "follow several chains at a time.",
      cite("other warps hide latency", "Occupancy"), Remedy::more_in_flight, std::nullopt, false};
}

}  // namespace

bool name_line(const Explanation& explanation, std::size_t cc, Finding& finding) {
  if (finding.by == LineCost::none) return true;
  std::map<Place, double> divisions;
  if (finding.by == LineCost::divisions) {
    try {
      divisions = divisions_of(explanation);
      if (divisions.empty()) return false;
    } catch (const InvalidArgument&) {
      return true;  // ptx::parse() refuses this PTX
    }
  }
  const emulator::LineCounts* dearest = nullptr;
  double most = 0;
  bool is_only = true;
  for (const emulator::LineCounts& each : explanation.launch.lines) {
    if (each.line == 0 || emulator::is_of_toolkit(each.file)) continue;
    double cost = cost_of(each, cc, finding.by);
    if (const auto found = divisions.find({each.file, each.line}); found != divisions.end())
      cost = found->second;
    if (cost == most) is_only = false;
    if (cost <= most) continue;
    is_only = true;
    most = cost;
    dearest = &each;
  }
  if (dearest == nullptr) return true;
  if (finding.by == LineCost::doubles) {
    tell_constants(explanation, *dearest, finding.advice.text);
  }
  finding.place = line_name(explanation, *dearest);
  if (finding.by == LineCost::loaded_bytes) {
    const Reuse reuse = reuse_at(explanation, *dearest);
    if (reuse == Reuse::none) return false;
    if (reuse == Reuse::chain) tell_chain(finding.advice);
  }
  if (is_only)
    finding.advice.text =
        place_of(explanation, *dearest) + words_of(finding.by) + " " + finding.advice.text;
  return true;
}

}  // namespace warpwise::lab
