// Finds asynchronous copies that a kernel waits for as soon as it has begun them.

#include <algorithm>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/ptx/parser.hpp"
#include "warpwise/lab/explain/findings.hpp"
#include "warpwise/lab/explain/wording.hpp"

namespace warpwise::lab {
namespace {

using ptx::Instruction;

bool has(const Instruction& instruction, const std::string& modifier) {
  return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

bool is_async(const Instruction& each) { return each.opcode == "cp" && has(each, "async"); }

bool waits_for_groups(const Instruction& each) { return is_async(each) && has(each, "wait_group"); }

bool waits_for_all(const Instruction& each) {
  return (is_async(each) && has(each, "wait_all")) ||
         (waits_for_groups(each) && !each.operands.empty() && each.operands[0].value == 0);
}

// Returns true if a later branch leads back to an instruction or to one before it.
bool is_in_loop(const ptx::Function& function, std::size_t index) {
  for (std::size_t i = index; i < function.instructions.size(); ++i) {
    const Instruction& branch = function.instructions[i];
    if (branch.opcode != "bra" || branch.operands.empty()) continue;
    for (const ptx::Function::Label& label : function.labels)
      if (label.name == branch.operands[0].name && label.index <= index) return true;
  }
  return false;
}

// Returns true if nothing uses shared memory between the last copy and the wait for it.
bool waits_at_once(const ptx::Function& function, std::size_t wait) {
  for (std::size_t i = wait; i > 0; --i) {
    if (std::ranges::any_of(function.labels, [&](const auto& each) { return each.index == i; }))
      return false;
    const Instruction& before = function.instructions[i - 1];
    if (is_async(before)) return !waits_for_all(before);
    if (before.opcode == "bra" || before.opcode == "bar" || before.opcode == "barrier" ||
        has(before, "shared"))
      return false;
  }
  return false;
}

// Returns the line of the program's own call.
emulator::LineCounts line_of(const ptx::Module& module, ptx::SourceLine source) {
  constexpr int deepest_call = 64;
  for (int depth = 0; source.caller >= 0 && depth < deepest_call; ++depth)
    source = module.callers[static_cast<std::size_t>(source.caller)];
  emulator::LineCounts line;
  if (source.file < 0) return line;
  line.file = module.files[static_cast<std::size_t>(source.file)];
  line.line = source.line;
  return line;
}

}  // namespace

std::optional<Finding> early_wait(const Explanation& explanation) try {
  const ptx::Module module = ptx::parse(explanation.compilation.ptx);
  for (const ptx::Function& function : module.functions) {
    if (function.name != explanation.kernel.name) continue;
    const std::vector<Instruction>& all = function.instructions;
    if (std::ranges::any_of(all, [](const Instruction& each) {
          return waits_for_groups(each) && !waits_for_all(each);
        }))
      return std::nullopt;  // some copies go on meanwhile
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!waits_for_all(all[i]) || !is_in_loop(function, i) || !waits_at_once(function, i))
        continue;
      return Finding{
          static_cast<double>(explanation.launch.totals.warp_instructions) / 4,
          {place_of(explanation, line_of(module, all[i].source)) +
               " waits for copies that have just begun, so that nothing hides their latency. Use "
               "two tiles: begin the copies of the next tile first, and wait for those before by "
               "__pipeline_wait_prior(1).",
           cite("other warps hide latency", "Occupancy"), Remedy::more_in_flight, std::nullopt,
           false},
          std::nullopt};
    }
  }
  return std::nullopt;
} catch (const InvalidArgument&) {
  return std::nullopt;  // no PTX that a parser of its own reads
}

}  // namespace warpwise::lab
