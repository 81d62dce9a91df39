#include "warpwise/emulator/instructions/memory/stack.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "warpwise/emulator/execute/calls.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

std::uint64_t& top_of(const Warp& warp, int lane) {
  return warp.block->stacks[warp.index].top[static_cast<std::size_t>(lane)];
}

void allocate(Warp& warp, const Operation& op) {
  const auto* bytes = source<std::uint64_t>(warp, op.a);
  alignas(64) std::uint64_t out[warp_lanes] = {};
  warp.wrote = true;
  const auto alignment = static_cast<std::uint64_t>(op.offset);
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    std::uint64_t& top = top_of(warp, i);
    const std::uint64_t begin = (top + alignment - 1) & ~(alignment - 1);
    if (!has_stack(warp, op, i, begin, bytes[i])) break;
    out[i] = begin;
    top = begin + bytes[i];
    clear_local(warp, top);
    if (warp.shadow != nullptr) {
      const std::uint64_t own = warp.thread(i) * warp.worker->launch->local_bytes;
      std::memset(warp.block->local_shadow.data() + own + begin, unwritten, bytes[i]);
    }
  }
  write_lanes(warp, op.dst, out);
}

void save(Warp& warp, const Operation& op) {
  alignas(64) std::uint64_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) out[i] = top_of(warp, i);
  write_lanes(warp, op.dst, out);
}

void restore(Warp& warp, const Operation& op) {
  const auto* saved = source<std::uint64_t>(warp, op.a);
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    // A valid saved top is not above the current top. Another value would grow the stack.
    top_of(warp, i) = std::min(top_of(warp, i), saved[i]);
  }
}

}  // namespace

Handler stack_handler(std::string_view opcode) {
  return opcode == "alloca" ? allocate : opcode == "stacksave" ? save : restore;
}

}  // namespace warpwise::emulator
