#include "warpwise/lab/explain/kernel/kernel_flow.hpp"

#include <algorithm>

namespace warpwise::lab {

const ptx::Function* function_named(const ptx::Module& module, const std::string& name) {
  const auto found = std::ranges::find_if(module.functions, [&](const ptx::Function& each) {
    return each.has_body && each.name == name;
  });
  return found == module.functions.end() ? nullptr : &*found;
}

std::string file_of(const ptx::Module& module, const ptx::SourceLine& source) {
  return source.file < 0 ? "" : module.files[static_cast<std::size_t>(source.file)];
}

ptx::SourceLine outermost_line(const ptx::Module& module, ptx::SourceLine source) {
  for (int depth = 0; source.caller >= 0 && depth < deepest_call; ++depth)
    source = module.callers[static_cast<std::size_t>(source.caller)];
  return source;
}

std::vector<bool> in_loops(const ptx::Function& function) {
  std::vector<bool> repeats(function.instructions.size(), false);
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    const ptx::Instruction& branch = function.instructions[i];
    if (branch.opcode != "bra" || branch.operands.empty()) continue;
    const auto label =
        std::ranges::find(function.labels, branch.operands[0].name, &ptx::Function::Label::name);
    if (label == function.labels.end()) continue;
    for (std::size_t k = label->index; k <= i; ++k) repeats[k] = true;
  }
  return repeats;
}

}  // namespace warpwise::lab
