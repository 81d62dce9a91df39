#include "warpwise/emulator/observe/volatile_use.hpp"

#include <algorithm>
#include <vector>

namespace warpwise::emulator {
namespace {

bool is_predicate(const Code& code, std::int32_t virtual_register) {
  return code.places[static_cast<std::size_t>(virtual_register)].width == Width::predicate;
}

/// Returns true if an operation only computes registers from registers, each lane for itself.
bool only_computes(const Code& code, const Operation& op) {
  return op.control == Control::plain && op.site < 0 && !code.accesses[op.index].writes.empty();
}

}  // namespace

bool carries_data(const Code& code, std::uint32_t load) {
  std::vector<bool> holds(code.virtual_registers);
  std::vector<std::int32_t> left = code.accesses[load].writes;
  while (!left.empty()) {
    const std::int32_t value = left.back();
    left.pop_back();
    if (is_predicate(code, value) || holds[static_cast<std::size_t>(value)]) continue;
    holds[static_cast<std::size_t>(value)] = true;
    for (const Operation& op : code.operations) {
      const auto& reads = code.accesses[op.index].reads;
      if (std::ranges::find(reads, value) == reads.end()) continue;
      if (!only_computes(code, op)) return true;
      std::ranges::copy(code.accesses[op.index].writes, std::back_inserter(left));
    }
  }
  return false;
}

}  // namespace warpwise::emulator
