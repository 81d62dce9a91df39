// Findings from a line's counts, compared with the least that its bytes could cost.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/ptx/parser.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/lab/explain/findings.hpp"
#include "warpwise/lab/explain/wording.hpp"

namespace warpwise::lab {
namespace {

using emulator::LineCounts;
using emulator::PassCounts;
using emulator::TrafficCounts;

constexpr double worth_saying = 1.2;  // ratio of the count to the least possible

// A definition that newcomers need for the other texts.
constexpr const char* each_request = "for each request of a warp (32 threads that run as one)";

// Returns "Line 9", or "Line 9 of kernel.cuh" if that is not the given file.
std::string line_name(const Explanation& explanation, const LineCounts& line) {
  if (line.line == 0) return "The kernel (its PTX has no line numbers)";
  const SourceFile* source = explanation.source(line.file);
  std::string text = fmt::format("Line {}", line.line);
  if (source != nullptr && source->shown != explanation.request.file) {
    text += " of " + std::filesystem::path(source->shown).filename().string();
  }
  return text;
}

// An array of shared memory of two dimensions, and the line's index into its rows.
struct SharedArray {
  std::string name;
  std::string rows;
  std::string columns;
  std::string index;
};

// Returns the text of the last of the brackets that follow: "x * 4 + i" for "[r][x * 4 + i] = ...".
std::string last_index(std::string_view text) {
  std::string index;
  while (text.starts_with('[')) {
    std::size_t end = 1;
    for (int depth = 1; end < text.size() && depth > 0; ++end)
      depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    index = text.substr(1, end - 2);
    text.remove_prefix(end);
  }
  return index;
}

// Returns the array if the line uses one that is declared in the same file.
std::optional<SharedArray> shared_array(const Explanation& explanation, const LineCounts& line) {
  static const std::regex declaration(
      R"(__shared__\s+[\w:\s<>]*?(\w+)\s*\[([^\]]+)\]\s*\[([^\]]+)\]\s*;)");
  const SourceFile* source = explanation.source(line.file);
  if (source == nullptr) return std::nullopt;
  const std::string used = explanation.source_line(line.file, line.line);
  constexpr std::size_t longest_line = 500;  // std::regex takes stack for each character
  for (const std::string& text : source->lines) {
    std::smatch match;
    if (text.size() > longest_line || !std::regex_search(text, match, declaration)) continue;
    const std::size_t at = used.find(match[1].str() + "[");
    if (at == std::string::npos) continue;
    return SharedArray{match[1], match[2], match[3],
                       last_index(std::string_view(used).substr(at + match[1].length()))};
  }
  return std::nullopt;
}

// Returns false if the rows are known not to be a multiple of the banks long: "65", but not
// "WIDTH".
bool may_fill_banks(const std::string& columns, int banks) {
  int words = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), words);
  return error != std::errc() || end != columns.data() + columns.size() || words % banks == 0;
}

// Returns the factor in an index if there is one: "4" for "x * 4 + i".
std::optional<std::string> step_of(const std::string& index) {
  static const std::regex product(R"((\w+)\s*\*\s*(\w+))");
  constexpr std::size_t longest_index = 100;
  std::smatch match;
  if (index.size() > longest_index || !std::regex_search(index, match, product))
    return std::nullopt;
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos;
  };
  return is_number(match[1].str()) ? match[1].str() : match[2].str();
}

// Says how the warp's words come into different banks.
std::string cure_of_conflict(const std::optional<SharedArray>& array, int banks) {
  if (array) {
    if (const auto step = step_of(array->index)) {
      return fmt::format(
          " In {}[...][{}] the threads' words are {} apart, whatever the length of a row. Let "
          "neighbouring threads use neighbouring words: a thread that takes several elements takes "
          "each of them beside its neighbours' in turn.",
          array->name, array->index, *step);
    }
    if (may_fill_banks(array->columns, banks)) {
      return fmt::format(
          " If rows are a multiple of {0} words long, all elements of a column lie in one bank. "
          "One unused column shifts each row by one bank, so that a column's elements lie in {0} "
          "different banks: declare {1}[{2}][{3} + 1] in place of {1}[{2}][{3}].",
          banks, array->name, array->rows, array->columns);
    }
    return fmt::format(
        " Rows of {} words are not the cause. Let neighbouring threads use neighbouring words.",
        array->columns);
  }
  return " Let neighbouring threads use neighbouring words. If a warp goes down a column, pad the "
         "rows by one word: then the words that it uses at once lie in different banks.";
}

std::uint64_t all_bytes(const emulator::MemoryCounts& memory) {
  return memory.global_load.bytes_moved + memory.global_store.bytes_moved +
         memory.global_atomic.bytes_moved + memory.local_load.bytes_moved +
         memory.local_store.bytes_moved;
}

std::uint64_t all_passes(const emulator::MemoryCounts& memory) {
  return memory.shared_load.passes + memory.shared_store.passes + memory.shared_atomic.passes;
}

std::optional<Finding> bank_conflict(const Explanation& explanation, const LineCounts& line,
                                     const PassCounts& counts, const std::string& verb,
                                     std::size_t index) {
  const rules::ComputeCapability cc = explanation.request.compute_capabilities[index];
  if (ratio(counts.passes, counts.ideal_passes) < worth_saying) return std::nullopt;
  const double passes = ratio(counts.passes, counts.requests);
  const double ideal = ratio(counts.ideal_passes, counts.requests);
  const int banks = cc.major == 1 ? 16 : 32;
  std::string text = fmt::format(
      "{} {} shared memory in {} {}; the minimum is {}. Up to {} threads need different words of "
      "one of the {} banks, and a bank serves one word at a time (word i lies in bank i modulo "
      "{}).",
      place_of(explanation, line), verb, passes_text(passes), each_request, number(ideal),
      number(std::min<double>(banks, std::ceil(passes / ideal))), banks, banks);
  const std::string cure = cure_of_conflict(shared_array(explanation, line), banks);
  const bool pads = cure.find(" + 1]") != std::string::npos;  // the example does not
  const std::uint64_t over = counts.passes - counts.ideal_passes;
  Finding finding{static_cast<double>(over),
                  {text + cure, cite("bank conflicts", "Shared memory"), Remedy::bank_conflicts,
                   std::nullopt, !pads},
                  Change{.passes = ratio(over, all_passes(explanation.launch.memory[index]))}};
  finding.always = true;
  return finding;
}

constexpr const char* several_runs =
    " The warp's addresses form several runs, as in a block that is narrower than a warp, or do "
    "not "
    "begin where a segment of memory begins. Let the 32 threads of a warp use one run, and start "
    "rows at multiples of 128 bytes (a padded pitch).";

std::string far_apart(const TrafficCounts& counts) {
  return fmt::format(
      " The threads' addresses lie far apart, and memory moves whole segments of {:.0f} bytes. Let "
      "neighbouring threads (threadIdx.x and threadIdx.x + 1) use neighbouring addresses.",
      ratio(counts.bytes_moved, transactions(counts)));
}

std::string moved_text(const TrafficCounts& counts) {
  std::string text = fmt::format(" {} bytes are moved", grouped(counts.bytes_moved));
  if (counts.bytes_requested < counts.bytes_moved)
    text += fmt::format(" for {} requested", grouped(counts.bytes_requested));
  return text + ".";
}

// Returns the kernel's accesses; called only where a line scatters its addresses.
using Accesses = std::function<const std::vector<GlobalAccess>&()>;

std::optional<Finding> scattered_access(const Explanation& explanation, const LineCounts& line,
                                        const TrafficCounts& counts, const std::string& verb,
                                        std::size_t index, const Accesses& accesses) {
  const std::uint64_t made = transactions(counts);
  if (ratio(made, counts.ideal_transactions) < worth_saying) return std::nullopt;
  const double each = ratio(made, counts.requests);
  const double ideal = ratio(counts.ideal_transactions, counts.requests);
  std::string text =
      fmt::format("{} {} global memory in {} transactions {}; the minimum is {}.",
                  place_of(explanation, line), verb, number(each), each_request, number(ideal));
  const bool is_apart = each >= 2 * ideal;
  const bool is_store = verb == "writes";
  std::optional<ScatteredAccess> known;
  if (is_apart) known = scattered_at(explanation, accesses(), line.file, line.line, is_store);
  text += known ? fmt::format(" {} {}", known->cause, known->cure)
                : moved_text(counts) + (is_apart ? far_apart(counts) : several_runs);
  const double bytes_over =
      static_cast<double>(counts.bytes_moved) *
      (1 - static_cast<double>(counts.ideal_transactions) / static_cast<double>(made));
  constexpr double bytes_per_slot = 16;  // DRAM bandwidth per SM and clock, roughly
  const double all = static_cast<double>(all_bytes(explanation.launch.memory[index]));
  return Finding{bytes_over / bytes_per_slot,
                 {text, cite("coalescing", "Global memory"), Remedy::coalescing, std::nullopt,
                  !is_store || (known && known->pattern == AccessPattern::transpose),
                  known ? std::optional(known->pattern) : std::nullopt},
                 Change{.bytes = bytes_over / all}};
}

// Local memory is a thread's own array whose index the compiler does not know. Lanes with equal
// indices share a segment.
std::optional<Finding> local_array(const Explanation& explanation, const LineCounts& line,
                                   const TrafficCounts& counts, const std::string& verb,
                                   std::size_t index) {
  if (counts.requests == 0) return std::nullopt;
  const double all = static_cast<double>(all_bytes(explanation.launch.memory[index]));
  const auto bytes = static_cast<double>(counts.bytes_moved);
  constexpr double bytes_per_slot = 16;  // as of scattered_access()
  return Finding{
      bytes / bytes_per_slot,
      {fmt::format(
           "{} {} local memory, {} transactions {}. An array of a thread lies there if its "
           "index is not a constant. If the index is a loop counter, unroll the loop (#pragma "
           "unroll): then registers hold the array. If it comes from data, keep the array in "
           "shared memory, count[i * blockDim.x + threadIdx.x].",
           place_of(explanation, line), verb, number(ratio(transactions(counts), counts.requests)),
           each_request),
       cite("local memory is global memory", "Local memory"), Remedy::local_memory, std::nullopt,
       false},
      Change{.bytes = bytes / all}};
}

std::optional<Finding> constant_scatter(const Explanation& explanation, const LineCounts& line,
                                        const PassCounts& counts) {
  if (ratio(counts.passes, counts.ideal_passes) < worth_saying) return std::nullopt;
  return Finding{
      static_cast<double>(counts.passes - counts.ideal_passes),
      {fmt::format("{} reads constant memory at {} different addresses in a warp: they are served "
                   "one after another. Constant memory suits values that all lanes read at once. "
                   "For values that differ between lanes, use shared or global memory.",
                   place_of(explanation, line), number(ratio(counts.passes, counts.requests))),
       cite("one constant request for each address", "Constant memory"), Remedy::constant_memory,
       std::nullopt, false},
      std::nullopt};
}

// Returns true if a buffer that the line reads at one address in a warp exceeds constant memory.
bool exceeds_constant_memory(const Explanation& explanation, const LineCounts& line,
                             const std::vector<GlobalAccess>& accesses) {
  constexpr std::uint64_t most_bytes = 65'536;  // of __constant__ variables
  return std::ranges::any_of(accesses, [&](const GlobalAccess& each) {
    const std::optional<std::size_t>& parameter = each.address.parameter;
    const std::vector<ArgumentSpec>& arguments = explanation.request.arguments;
    return !each.is_store && each.file == line.file && each.line == line.line && parameter &&
           each.address.steps[thread_x].is_none() && *parameter < arguments.size() &&
           arguments[*parameter].kind == ArgumentSpec::Kind::buffer &&
           arguments[*parameter].bytes() > most_bytes;
  });
}

// All lanes of a warp read one word: one sector serves more bytes than it has.
std::optional<Finding> same_address(const Explanation& explanation, const LineCounts& line,
                                    const TrafficCounts& counts, std::size_t index,
                                    const Accesses& accesses) {
  constexpr double at_least = 3.9;  // 32 lanes and 4 bytes for each, from a sector of 32
  if (counts.requests == 0 || counts.references < 16 * counts.requests) return std::nullopt;
  if (ratio(counts.bytes_requested, counts.bytes_moved) < at_least) return std::nullopt;
  std::uint64_t loads = 0;
  for (const auto& [name, count] : explanation.launch.instructions_by_class) {
    if (name == "load" || name == "store") loads += count;
  }
  const bool is_large = exceeds_constant_memory(explanation, line, accesses());
  const char* const cure =
      is_large ? "Load a block's values into shared memory first."
               : "Keep values that all threads read in constant memory (__constant__ float "
                 "filter[9]; in place of const float* filter) or in the kernel's parameters, or "
                 "load a block's values into shared memory first.";
  return Finding{
      static_cast<double>(counts.requests),
      {fmt::format("{} reads one address of global memory in all threads of a warp: {} bytes are "
                   "requested, and {} moved. {}",
                   place_of(explanation, line), grouped(counts.bytes_requested),
                   grouped(counts.bytes_moved), cure),
       cite("one constant request for each address", "Constant memory"), Remedy::constant_memory,
       std::nullopt, !is_large},
      Change{.bytes = ratio(counts.bytes_moved, all_bytes(explanation.launch.memory[index])),
             .loads = ratio(counts.requests, loads)}};
}

using Place = std::pair<std::string, int>;         // a file and its line
using Callers = std::map<Place, std::set<Place>>;  // the lines that call a line's function
using CallersOfLines = std::function<const Callers&()>;

constexpr int deepest_call = 64;  // deeper ones are left out: the text of PTX sets no limit

// Returns the callers of the lines of inlined functions and of others; none if the PTX cannot be
// parsed.
Callers callers_of(const Explanation& explanation) try {
  const ptx::Module module = ptx::parse(explanation.compilation.ptx);
  const auto place = [&](const ptx::SourceLine& line) {
    return line.file < 0 ? Place()
                         : Place(module.files[static_cast<std::size_t>(line.file)], line.line);
  };
  std::map<std::string, std::set<Place>> calls;
  const auto outermost = [&](ptx::SourceLine line, Callers* callers) {
    for (int depth = 0; line.caller >= 0 && depth < deepest_call; ++depth) {
      const ptx::SourceLine& caller = module.callers[static_cast<std::size_t>(line.caller)];
      if (callers != nullptr) (*callers)[place(line)].insert(place(caller));
      line = caller;
    }
    return place(line);
  };
  for (const ptx::Function& function : module.functions)
    for (const ptx::Instruction& each : function.instructions)
      if (each.opcode == "call")
        for (const ptx::Operand& operand : each.operands)
          calls[operand.name].insert(place(each.source));
  Callers callers;
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& each : function.instructions) {
      const Place last = outermost(each.source, &callers);
      const auto found = calls.find(function.name);
      if (found != calls.end()) callers[last].insert(found->second.begin(), found->second.end());
    }
  }
  return callers;
} catch (const InvalidArgument&) {
  return {};
}

// Returns the share of a line's callers that lie behind a branch, as far as `shares` says.
double share_behind(const Place& place, const Callers& callers, std::map<Place, double>& shares,
                    int depth = 0) {
  const auto [known, is_new] = shares.emplace(place, 0);
  const auto found = callers.find(place);
  if (!is_new || found == callers.end() || depth == deepest_call) return known->second;
  double sum = 0;
  for (const Place& each : found->second) sum += share_behind(each, callers, shares, depth + 1);
  return known->second = sum / static_cast<double>(found->second.size());
}

// Idle lanes, in warp instructions, from this line to the file's next one with divergent branches,
// and in the functions that these lines call. A branch that leaves lanes idle for one statement
// costs no more than that.
double idle_after(const Explanation& explanation, const LineCounts& line, const Callers& callers) {
  std::map<Place, double> shares;
  bool is_after = false;
  for (const LineCounts& each : explanation.launch.lines) {
    const bool is_line = each.file == line.file && each.line == line.line;
    is_after =
        is_line || (is_after && each.file == line.file && each.execution.divergent_branches == 0);
    if (is_after || each.execution.divergent_branches > 0)
      shares[{each.file, each.line}] = is_after ? 1 : 0;
  }
  double idle = 0;
  for (const LineCounts& each : explanation.launch.lines) {
    idle += share_behind({each.file, each.line}, callers, shares) *
            (static_cast<double>(each.execution.warp_instructions) -
             static_cast<double>(each.execution.thread_instructions) / 32);
  }
  return idle;
}

std::optional<Finding> divergence(const Explanation& explanation, const LineCounts& line,
                                  const CallersOfLines& callers) {
  const auto& counts = line.execution;
  const double share = ratio(counts.divergent_branches, counts.branches);
  constexpr double worth_saying_share = 0.1;
  if (share < worth_saying_share) return std::nullopt;
  const auto& totals = explanation.launch.totals;
  const double lanes = ratio(totals.thread_instructions, totals.warp_instructions);
  const double idle = 1 - lanes / 32;
  if (idle < 0.1) return std::nullopt;
  const double own =
      idle_after(explanation, line, callers()) / static_cast<double>(totals.warp_instructions);
  constexpr double worth_saying_idle = 0.02;
  if (own < worth_saying_idle) return std::nullopt;
  return Finding{
      static_cast<double>(totals.warp_instructions) * own / 4,  // four schedulers per SM
      {fmt::format("{} diverges in {} of {} branches: lanes of a warp take different paths, which "
                   "execute one after the other. Over the kernel, {} of 32 lanes work in an "
                   "instruction. Branch on a condition that all lanes of a warp share, or sort the "
                   "work so that neighbours take the same path.",
                   place_of(explanation, line), grouped(counts.divergent_branches),
                   grouped(counts.branches), number(lanes)),
       cite("a warp's lanes share one instruction", "Divergence"), Remedy::divergence},
      Change{.instructions = own}};
}

void add_line_findings(const Explanation& explanation, const LineCounts& line, std::size_t cc,
                       const Accesses& accesses, const CallersOfLines& callers,
                       std::vector<Finding>& findings) {
  const auto add = [&](std::optional<Finding> finding) {
    if (!finding) return;
    finding->place = line_name(explanation, line);
    finding->in_library = emulator::is_of_toolkit(line.file);
    findings.push_back(std::move(*finding));
  };
  const auto& memory = line.memory[cc];
  add(bank_conflict(explanation, line, memory.shared_load, "reads", cc));
  add(bank_conflict(explanation, line, memory.shared_store, "writes", cc));
  add(scattered_access(explanation, line, memory.global_load, "reads", cc, accesses));
  add(scattered_access(explanation, line, memory.global_store, "writes", cc, accesses));
  add(local_array(explanation, line, memory.local_load, "reads", cc));
  add(local_array(explanation, line, memory.local_store, "writes", cc));
  add(same_address(explanation, line, memory.global_load, cc, accesses));
  add(constant_scatter(explanation, line, memory.constant));
  add(divergence(explanation, line, callers));
}

}  // namespace

std::string place_of(const Explanation& explanation, const LineCounts& line) {
  const std::string text = line_name(explanation, line);
  const std::string code = explanation.source_line(line.file, line.line);
  constexpr std::size_t longest = 90;
  if (line.line == 0 || code.empty()) return text;
  return text +
         (code.size() > longest ? " (" + code.substr(0, longest) + " ...)" : " (" + code + ")");
}

std::vector<Finding> line_findings(const Explanation& explanation, std::size_t cc) {
  std::vector<Finding> findings;
  std::optional<std::vector<GlobalAccess>> known;
  const auto accesses = [&]() -> const std::vector<GlobalAccess>& {
    if (!known) known = accesses_of(explanation);
    return *known;
  };
  std::optional<Callers> calling;
  const auto callers = [&]() -> const Callers& {
    if (!calling) calling = callers_of(explanation);
    return *calling;
  };
  for (const LineCounts& line : explanation.launch.lines) {
    add_line_findings(explanation, line, cc, accesses, callers, findings);
  }
  return findings;
}

}  // namespace warpwise::lab
