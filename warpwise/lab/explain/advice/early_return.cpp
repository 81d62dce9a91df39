// Notes that nearly all threads of a launch return before they do any work.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/kernel/kernel_flow.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

// Finds the conditional branches at the kernel's start that end the kernel, and returns the last
// one. Only branches before the first other branch, memory access, barrier or call count.
std::optional<std::size_t> early_return(const ptx::Function& kernel) {
  const auto ends_kernel = [&](const ptx::Instruction& branch) {
    const auto label =
        std::ranges::find(kernel.labels, branch.operands[0].name, &ptx::Function::Label::name);
    return label != kernel.labels.end() && label->index < kernel.instructions.size() &&
           kernel.instructions[label->index].opcode == "ret";
  };
  static const std::set<std::string> others = {"st",      "atom", "red", "bar",
                                               "barrier", "call", "tex"};
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const ptx::Instruction& each = kernel.instructions[i];
    const bool is_load = each.opcode == "ld" && std::ranges::count(each.modifiers, "param") == 0;
    const bool is_branch = each.opcode == "bra" && !each.operands.empty();
    if (is_load || others.contains(each.opcode)) break;
    if (!is_branch) continue;
    if (each.guard.empty() || !ends_kernel(each)) break;
    last = i;
  }
  return last;
}

// Numbers of a source line's PTX instructions.
struct LineOfKernel {
  std::uint64_t before = 0;  // instructions up to the early return
  std::uint64_t after = 0;
  std::uint64_t stores = 0;  // stores to global memory
  bool is_in_loop = false;
};

// Returns the kernel's lines in the file that has the early return.
std::map<int, LineOfKernel> lines_of(const ptx::Function& kernel, std::size_t early) {
  const std::vector<bool> repeats = in_loops(kernel);
  std::map<int, LineOfKernel> lines;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    const ptx::Instruction& each = kernel.instructions[i];
    if (each.source.file != kernel.instructions[early].source.file || each.opcode == "ret")
      continue;
    LineOfKernel& line = lines[each.source.line];
    ++(i <= early ? line.before : line.after);
    line.stores += each.opcode == "st" && std::ranges::count(each.modifiers, "global") > 0 ? 1 : 0;
    line.is_in_loop = line.is_in_loop || repeats[i];
  }
  return lines;
}

}  // namespace

std::optional<Advice> early_leavers(const Explanation& explanation) try {
  const ptx::Module module = ptx::parse(explanation.compilation.ptx);
  const ptx::Function* const kernel = function_named(module, explanation.kernel.name);
  if (kernel == nullptr) return std::nullopt;
  const auto early = early_return(*kernel);
  if (!early || kernel->instructions[*early].source.file < 0) return std::nullopt;
  const ptx::SourceLine& source = kernel->instructions[*early].source;
  const std::map<int, LineOfKernel> lines = lines_of(*kernel, *early);
  emulator::LineCounts place;
  place.file = file_of(module, source);
  place.line = source.line;
  std::optional<double> stayed;
  for (const emulator::LineCounts& each : explanation.launch.lines) {
    const auto line = lines.find(each.line);
    if (each.file != place.file || line == lines.end()) continue;
    const LineOfKernel& own = line->second;
    if (own.after == 0 || own.is_in_loop) continue;
    const bool is_apart = own.before == 0;
    if (!is_apart && own.stores == 0) continue;
    const double threads = is_apart
                               ? ratio(each.execution.thread_instructions, own.after)
                               : ratio(each.memory.front().global_store.references, own.stores);
    stayed = std::max(stayed.value_or(0), threads);
  }
  const std::uint64_t all = explanation.request.grid.count() * explanation.request.block.count();
  constexpr double most_that_stay = 0.1;
  if (!stayed || *stayed > most_that_stay * static_cast<double>(all)) return std::nullopt;
  const double left = 100 * (1 - *stayed / static_cast<double>(all));
  return Advice{
      fmt::format("{} ends {} {} threads before they do anything. The counts and gains below are "
                  "of a launch that does little: launch fewer threads, or give arguments that suit "
                  "the launch.",
                  place_of(explanation, place),
                  *stayed > 0 ? fmt::format("{:.0f} % of the", std::floor(left)) : "all",
                  grouped(all)),
      counts_rule};
} catch (const InvalidArgument&) {
  return std::nullopt;
}

}  // namespace warpwise::lab
