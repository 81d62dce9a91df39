#include "warpwise/lab/explain/advice/divergence.hpp"

#include <fmt/format.h>

#include <regex>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/kernel/kernel_flow.hpp"
#include "warpwise/lab/explain/launch/scanned.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

constexpr double many_branches = 0.1;  // share of divergent branches that counts as many

double divergent_share(const emulator::LineCounts& line) {
  return ratio(line.execution.divergent_branches, line.execution.branches);
}

bool has_nearly_all_lanes(const emulator::LineCounts& line) {
  constexpr double nearly = 0.9 * 32;
  return ratio(line.execution.thread_instructions, line.execution.warp_instructions) >= nearly;
}

// Returns true if a line has a loop and no other condition. Comments do not count.
bool is_loop(const Explanation& explanation, const emulator::LineCounts& line) {
  const SourceFile* const source = explanation.source(line.file);
  const auto index = static_cast<std::size_t>(line.line) - 1;  // line 0 is past the end
  if (source == nullptr || index >= source->lines.size()) return false;
  const std::string code = code_in(source->lines)[index];
  static const std::regex loop(R"(\b(for|while)\s*\()");
  static const std::regex other(R"(\bif\b|\?)");
  return code.size() <= longest_line && std::regex_search(code, loop) &&
         !std::regex_search(code, other);
}

}  // namespace

// Returns for each line the lines that call its function, inlined or not. Returns none if the PTX
// cannot be parsed.
Divergence::Callers Divergence::callers_of(const Explanation& explanation) try {
  const ptx::Module module = ptx::parse(explanation.compilation.ptx);
  const auto place = [&](const ptx::SourceLine& line) {
    return Place(file_of(module, line), line.line);
  };
  std::map<std::string, std::set<Place>> calls;
  for (const ptx::Function& function : module.functions)
    for (const ptx::Instruction& each : function.instructions)
      if (each.opcode == "call")
        for (const ptx::Operand& operand : each.operands)
          calls[operand.name].insert(place(each.source));
  Callers callers;
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& each : function.instructions) {
      ptx::SourceLine line = each.source;
      for (int depth = 0; line.caller >= 0 && depth < deepest_call; ++depth) {
        const ptx::SourceLine& caller = module.callers[static_cast<std::size_t>(line.caller)];
        callers[place(line)].insert(place(caller));
        line = caller;
      }
      const auto found = calls.find(function.name);
      if (found != calls.end())
        callers[place(line)].insert(found->second.begin(), found->second.end());
    }
  }
  return callers;
} catch (const InvalidArgument&) {
  return {};
}

// Returns the share, from 0 to 1, of a line's work that work_after() counts. It is the mean share
// of the lines that call the line's function. `shares` is a cache of the shares by line, in which
// work_after() has set the lines whose share is 0 or 1.
double Divergence::share_in_part(const Place& place, const Callers& callers,
                                 std::map<Place, double>& shares, int depth) {
  const auto [known, is_new] = shares.emplace(place, 0);
  const auto found = callers.find(place);
  if (!is_new || found == callers.end() || depth == deepest_call) return known->second;
  double sum = 0;
  for (const Place& each : found->second) sum += share_in_part(each, callers, shares, depth + 1);
  return known->second = sum / static_cast<double>(found->second.size());
}

Divergence::Divergence(const Explanation& explanation) : explanation_(explanation) {
  std::optional<Place> first;
  bool has_idle_lanes = false;
  for (const emulator::LineCounts& line : explanation.launch.lines) {
    if (line.execution.warp_instructions == 0) continue;
    const Place place = {line.file, line.line};
    if (first && first->first != line.file) {
      first.reset();
      has_idle_lanes = false;
    }
    const double share = divergent_share(line);
    if (share >= many_branches || (share > 0 && !has_idle_lanes)) {
      first = place;
      has_idle_lanes = true;
    } else if (share == 0 && has_nearly_all_lanes(line)) {
      has_idle_lanes = false;
    }
    if (first) begins_[place] = *first;
  }
}

// Counts the work in the part that begins at a line, and in the functions that this part calls. The
// constructor divides the lines into parts.
Divergence::Work Divergence::work_after(const emulator::LineCounts& line) {
  if (!callers_) callers_ = callers_of(explanation_);
  const Place place = {line.file, line.line};
  std::map<Place, double> shares;
  for (const auto& [each, first] : begins_) {
    if (first == place || each == first) shares[each] = first == place ? 1 : 0;
  }
  Work work;
  for (const emulator::LineCounts& each : explanation_.launch.lines) {
    const double share = share_in_part({each.file, each.line}, *callers_, shares);
    work.warps += share * static_cast<double>(each.execution.warp_instructions);
    work.full += share * static_cast<double>(each.execution.thread_instructions) / 32;
  }
  return work;
}

std::optional<Finding> Divergence::finding(const emulator::LineCounts& line) {
  const auto found = begins_.find({line.file, line.line});
  if (found == begins_.end() || found->second != found->first) return std::nullopt;
  const auto& totals = explanation_.launch.totals;
  const double lanes = ratio(totals.thread_instructions, totals.warp_instructions);
  constexpr double fewest_idle = 0.1;
  if (1 - lanes / 32 < fewest_idle) return std::nullopt;
  const Work work = work_after(line);
  const double own = (work.warps - work.full) / static_cast<double>(totals.warp_instructions);
  constexpr double worth_saying_idle = 0.02;
  if (own < (divergent_share(line) < many_branches ? fewest_idle : worth_saying_idle))
    return std::nullopt;
  // If fewer lanes than this work behind the branch on average, one lane does most of the work.
  constexpr double few_lanes = 4;
  const bool is_serial = 32 * work.full < few_lanes * work.warps;
  return Finding{
      static_cast<double>(totals.warp_instructions) * own / 4,  // four schedulers per SM
      {fmt::format("{} diverges in {} of {} branches: lanes of a warp take different paths, which "
                   "execute one after the other. Over the kernel, {} of 32 lanes work in an "
                   "instruction. {}",
                   place_of(explanation_, line), grouped(line.execution.divergent_branches),
                   grouped(line.execution.branches), number(lanes),
                   is_serial ? "One lane works behind this branch while the others wait. Share its "
                               "work among all threads: a sum by __shfl_down_sync, a running sum "
                               "by __shfl_up_sync."
                   : is_loop(explanation_, line)
                       ? "Lanes that have left the loop wait for the last lane. Give neighbouring "
                         "lanes about as many rounds each: sort the work by its length, or let "
                         "fewer lanes share a short row."
                       : "Branch on a condition that all lanes of a warp share, or sort the "
                         "work so that neighbours take the same path."),
       cite("a warp's lanes share one instruction", "Divergence"), Remedy::divergence, std::nullopt,
       !is_serial},
      Change{.instructions = own}};
}

}  // namespace warpwise::lab
