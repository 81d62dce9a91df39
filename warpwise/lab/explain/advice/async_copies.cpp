// Finds asynchronous copies that a kernel waits for as soon as it has begun them.

#include <algorithm>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/kernel/kernel_flow.hpp"
#include "warpwise/lab/explain/number_text.hpp"

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

}  // namespace

std::optional<Finding> early_wait(const Explanation& explanation) try {
  const ptx::Module module = ptx::parse(explanation.compilation.ptx);
  const ptx::Function* const kernel = function_named(module, explanation.kernel.name);
  if (kernel == nullptr) return std::nullopt;
  const std::vector<Instruction>& all = kernel->instructions;
  if (std::ranges::any_of(all, [](const Instruction& each) {
        return waits_for_groups(each) && !waits_for_all(each);
      }))
    return std::nullopt;  // a wait that leaves copies in flight hides their time
  const std::vector<bool> repeats = in_loops(*kernel);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!waits_for_all(all[i]) || !repeats[i] || !waits_at_once(*kernel, i)) continue;
    const ptx::SourceLine own = outermost_line(module, all[i].source);
    emulator::LineCounts line;
    line.file = file_of(module, own);
    line.line = own.line;
    return Finding{
        static_cast<double>(explanation.launch.totals.warp_instructions) / 4,
        {place_of(explanation, line) +
             " waits for copies that have just begun, so that nothing hides their latency. Use "
             "two tiles: begin the copies of the next tile first, and wait for those before by "
             "__pipeline_wait_prior(1).",
         cite("other warps hide latency", "Occupancy"), Remedy::more_in_flight, std::nullopt,
         false},
        std::nullopt};
  }
  return std::nullopt;
} catch (const InvalidArgument&) {
  return std::nullopt;  // ptx::parse() refuses this PTX
}

}  // namespace warpwise::lab
