#include "warpwise/emulator/execute/deadlock.hpp"

#include <bit>
#include <string>

#include "warpwise/emulator/execute/faults.hpp"

namespace warpwise::emulator {

void report_deadlock(Block& block, const Code& code) {
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups) {
      const Operation& op = code.operations[group.pc];
      if (group.barrier == cluster_barrier) {
        const Cluster& cluster = *block.cluster;
        record_fault(warp, op, FaultKind::deadlock, std::countr_zero(group.mask),
                     std::to_string(cluster.arrived) +
                         " threads have arrived at the cluster's barrier, which waits for " +
                         std::to_string(cluster.live) + ", and no thread of the cluster can go on");
        continue;
      }
      if (group.barrier >= first_warpgroup_barrier) {
        record_fault(warp, op, FaultKind::deadlock, std::countr_zero(group.mask),
                     std::to_string(block.barriers[group.barrier].arrived) +
                         " threads wait for the other ones of their four warps, all of which have "
                         "to execute " +
                         code.names[group.pc]);
        continue;
      }
      const auto waiting = block.barriers[group.barrier].arrived;
      const std::uint32_t expected = block.barriers[group.barrier].expected;
      record_fault(warp, op, FaultKind::deadlock, std::countr_zero(group.mask),
                   std::to_string(waiting) + " threads wait at barrier " +
                       std::to_string(group.barrier) + " for " +
                       std::to_string(expected != 0 ? expected : block.live) +
                       ", and no other thread of the block can go on");
    }
  }
}

}  // namespace warpwise::emulator
