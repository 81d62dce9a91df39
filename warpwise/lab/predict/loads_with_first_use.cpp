#include "warpwise/lab/predict/loads_with_first_use.hpp"

#include <cstddef>
#include <limits>

namespace warpwise::lab {
namespace {

// Returns the index of the first operation that waits for a load. Returns the greatest int if no
// operation waits before the next branch.
int first_use(std::span<const MachineOperation> operations, std::size_t load) {
  constexpr int never = std::numeric_limits<int>::max();
  if (operations[load].clears < 0) return never;
  const unsigned scoreboard = 1U << static_cast<unsigned>(operations[load].clears);
  for (std::size_t i = load + 1; i < operations.size(); ++i) {
    if ((operations[i].waits & scoreboard) != 0) return static_cast<int>(i);
    if (operations[i].jumps) break;
  }
  return never;
}

}  // namespace

std::vector<emulator::PaceModel::PlacedLoad> loads_with_first_use(
    std::span<const MachineOperation> operations) {
  std::vector<emulator::PaceModel::PlacedLoad> loads;
  int piece = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const MachineOperation& each = operations[i];
    if (each.loads)
      loads.push_back({each.ptx_line, piece, static_cast<int>(i), first_use(operations, i)});
    piece += each.jumps ? 1 : 0;
  }
  return loads;
}

}  // namespace warpwise::lab
