#include "warpwise/emulator/execute/deadlock.hpp"

#include <bit>
#include <string>

#include "warpwise/base/counted.hpp"
#include "warpwise/emulator/execute/faults.hpp"

namespace warpwise::emulator {

void report_deadlock(Block& block, const Code& code) {
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups) {
      const Operation& op = code.operations[group.pc];
      if (group.barrier == cluster_barrier) {
        const Cluster& cluster = *block.cluster;
        record_fault(
            warp, op, FaultKind::deadlock, std::countr_zero(group.mask),
            counted(cluster.arrived, "thread") + (cluster.arrived == 1 ? " has" : " have") +
                " arrived at the cluster's barrier, which needs " + std::to_string(cluster.live) +
                "; no thread of the cluster can reach it any more");
        continue;
      }
      if (group.barrier >= first_warpgroup_barrier) {
        record_fault(warp, op, FaultKind::deadlock, std::countr_zero(group.mask),
                     counted(block.barriers[group.barrier].arrived, "thread") +
                         " of a warpgroup reached " + code.names[group.pc] +
                         ", which all threads of the warpgroup's four warps have to execute");
        continue;
      }
      const auto waiting = block.barriers[group.barrier].arrived;
      const std::uint32_t expected = block.barriers[group.barrier].expected;
      record_fault(warp, op, FaultKind::deadlock, std::countr_zero(group.mask),
                   counted(waiting, "thread") + (waiting == 1 ? " waits" : " wait") +
                       " at barrier " + std::to_string(group.barrier) + ", which needs " +
                       std::to_string(expected != 0 ? expected : block.live) +
                       "; no other thread of the block can reach it any more");
    }
  }
}

}  // namespace warpwise::emulator
