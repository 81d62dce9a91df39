#include "warpwise/emulator/execute/sync_check.hpp"

#include <bit>
#include <cstdio>
#include <map>
#include <string>

#include "warpwise/base/counted.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

std::string thread_text(const Launch& launch, std::uint32_t thread) {
  const Dim3 at = place_in(thread, launch.block);
  return "thread (" + std::to_string(at.x) + "," + std::to_string(at.y) + "," +
         std::to_string(at.z) + ")";
}

std::string mask_text(Mask mask) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

/// The threads that wait at a place: the first one, and their number.
struct Waiting {
  Warp* warp = nullptr;
  int lane = 0;
  std::uint64_t threads = 0;
};

std::map<std::uint32_t, Waiting> waiting_at(Block& block, std::uint32_t id) {
  std::map<std::uint32_t, Waiting> places;
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups) {
      if (group.state != Group::State::barrier || group.barrier != id) continue;
      Waiting& place = places[group.pc];
      if (place.warp == nullptr) place = {&warp, std::countr_zero(group.mask), 0};
      place.threads += static_cast<std::uint64_t>(std::popcount(group.mask));
    }
  }
  return places;
}

std::string exits_text(const Block& block, const Launch& launch) {
  std::string text;
  for (const Block::Exit& exit : block.exits) {
    text += (text.empty() ? "" : "; ") + thread_text(launch, exit.thread) +
            (exit.threads > 1 ? " and " + std::to_string(exit.threads - 1) + " more" : "") +
            " exited at " + line_text(*launch.code, exit.operation);
  }
  return text;
}

/// Describes the place of a lane that a mask names but that does not take part.
std::string place_of_lane(const Warp& warp, int lane) {
  for (const Group& group : warp.groups) {
    if ((group.mask >> lane & 1) == 0) continue;
    const Code& code = *warp.worker->code;
    const char* const what = group.state == Group::State::ready ? " is at " : " waits at ";
    return thread_text(*warp.worker->launch, warp.thread(lane)) + what + line_text(code, group.pc);
  }
  return thread_text(*warp.worker->launch, warp.thread(lane)) + " does not take part";
}

/// Returns lanes that wait elsewhere at an equal instruction with an equal mask. Lanes may
/// synchronise from several places of the code.
Mask waiting_alike(const Warp& warp, const Operation& op, Mask mask) {
  const Code& code = *warp.worker->code;
  Mask lanes = 0;
  for (const Group& group : warp.groups) {
    const Operation& other = code.operations[group.pc];
    if (group.state != Group::State::converging || other.index == op.index ||
        code.names[other.index] != code.names[op.index])
      continue;
    for (Mask left = group.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (source<std::uint32_t>(warp, other.members)[lane] == mask) lanes |= Mask{1} << lane;
    }
  }
  return lanes;
}

/// Checks lanes that have the same member mask.
void check_equal_members(Warp& warp, const Operation& op, Mask lanes, Mask all, Mask mask) {
  const std::string what = warp.worker->code->names[op.index] + " with mask " + mask_text(mask);
  const auto fault = [&](Mask who, const std::string& message) {
    record_fault(warp, op, FaultKind::member_mask, std::countr_zero(who), message);
  };
  if (const Mask strangers = lanes & ~mask; strangers != 0) {
    fault(strangers, "lane " + std::to_string(std::countr_zero(strangers)) + " executes " + what +
                         ", which does not name it");
  }
  if (const Mask others = all & ~lanes & mask; others != 0) {
    const int lane = std::countr_zero(others);
    fault(lanes, what + " names lane " + std::to_string(lane) + ", which executes it with mask " +
                     mask_text(source<std::uint32_t>(warp, op.members)[lane]));
  }
  const Mask missing = mask & warp.live & ~all & ~waiting_alike(warp, op, mask);
  if (missing != 0) {
    fault(lanes, what + " names " + counted(static_cast<unsigned>(std::popcount(missing)), "lane") +
                     " that do not execute it: " + place_of_lane(warp, std::countr_zero(missing)));
  }
}

}  // namespace

void note_exit(Warp& warp, const Operation& op, Mask lanes) {
  const auto threads = static_cast<std::uint32_t>(std::popcount(lanes));
  for (Block::Exit& exit : warp.block->exits) {
    if (exit.operation != op.index) continue;
    exit.threads += threads;
    return;
  }
  warp.block->exits.push_back({op.index, warp.thread(std::countr_zero(lanes)), threads});
}

void check_barrier(Block& block, std::uint32_t id) {
  if (block.barriers[id].expected != 0) return;  // the kernel states how many threads arrive
  std::map<std::uint32_t, Waiting> places = waiting_at(block, id);
  if (places.empty()) return;
  const Launch& launch = *block.warps.front().worker->launch;
  const Code& code = *launch.code;
  const auto fault = [&](const std::pair<const std::uint32_t, Waiting>& place,
                         const std::string& message) {
    record_fault(*place.second.warp, code.operations[place.first], FaultKind::barrier,
                 place.second.lane, message);
  };
  const std::uint64_t threads = launch.block.count();
  if (block.live != threads) {
    fault(*places.begin(), counted(threads - block.live, "thread") + " of " +
                               std::to_string(threads) + " never reach barrier " +
                               std::to_string(id) + ": " + exits_text(block, launch));
  }
  // Only barrier 0 is __syncthreads(). Kernels may reach another barrier from different places of
  // the code, as Triton's groups of warps do.
  if (places.size() == 1 || id != 0) return;
  const auto& [first, at_first] = *places.begin();
  for (auto place = std::next(places.begin()); place != places.end(); ++place) {
    fault(*place, counted(place->second.threads, "thread") + " of the block reach barrier " +
                      std::to_string(id) + " here, and " + counted(at_first.threads, "thread") +
                      " at " + line_text(code, first) +
                      ": all threads must reach the same barrier");
  }
}

void check_cluster_arrival(Warp& warp, const Operation& op, Mask lanes) {
  if (const Mask again = lanes & warp.cluster_owes; again != 0) {
    record_fault(warp, op, FaultKind::barrier, std::countr_zero(again),
                 "arrives at the cluster's barrier again, and has not waited there in between");
  }
}

void check_cluster_wait(Warp& warp, const Operation& op, Mask lanes) {
  if (const Mask early = lanes & ~warp.cluster_owes; early != 0) {
    record_fault(warp, op, FaultKind::barrier, std::countr_zero(early),
                 "waits at the cluster's barrier without having arrived there");
  }
}

void check_members(Warp& warp, const Operation& op, Mask lanes) {
  for_each_member_mask(warp, op, lanes, [&](Mask same, Mask mask) {
    check_equal_members(warp, op, same, lanes, mask);
  });
}

}  // namespace warpwise::emulator
