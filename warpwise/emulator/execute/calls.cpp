#include "warpwise/emulator/execute/calls.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/shadow.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

void add_lanes(std::vector<Destination>& destinations, std::uint32_t pc, Mask lanes) {
  for (Destination& each : destinations) {
    if (each.pc != pc) continue;
    each.lanes |= lanes;
    return;
  }
  destinations.push_back({pc, lanes});
}

template <class Body>
void for_each_lane(Mask lanes, const Body& body) {
  if (lanes == all_lanes) {
    for (std::size_t i = 0; i < warp_lanes; ++i) body(i);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) body(static_cast<std::size_t>(std::countr_zero(lanes)));
}

/// Returns the lanes among `lanes` whose value equals the value of lane `first`.
template <class T>
Mask equal_lanes(const T* values, std::size_t first, Mask lanes) {
  T different = 0;
  for (std::size_t i = 0; i < warp_lanes; ++i) different |= values[i] ^ values[first];
  if (different == 0) return lanes;
  Mask equal = 0;
  for (std::size_t i = 0; i < warp_lanes; ++i)
    equal |= static_cast<Mask>(values[i] == values[first]) << i;
  return equal & lanes;
}

CallStack& stack_of(const Warp& warp) { return warp.block->stacks[warp.index]; }

void end_with_fault(Warp& warp, const Operation& op, FaultKind kind, int lane,
                    std::string message) {
  record_fault(warp, op, kind, lane, std::move(message));
  warp.worker->launch->progress->stop = true;
}

/// Returns the function that a lane calls. Records a fault and returns null if a pointer points to
/// no function, or to one with other parameters or results.
const CalledFunction* function_called(Warp& warp, const Operation& op, const CallSite& site,
                                      int lane) {
  const Code& code = *warp.worker->code;
  if (site.function >= 0) return &code.functions[static_cast<std::size_t>(site.function)];
  const Address address = source<std::uint64_t>(warp, op.a)[lane];
  const auto found = code.function_at.find(address);
  const CalledFunction* function =
      found == code.function_at.end() ? nullptr : &code.functions[found->second];
  const auto same = [](const std::vector<FrameSlot>& a, const std::vector<FrameSlot>& b) {
    return std::ranges::equal(a, b, {}, &FrameSlot::bytes, &FrameSlot::bytes);
  };
  if (function != nullptr && function->entry >= 0 && same(function->parameters, site.arguments) &&
      same(function->results, site.results)) {
    return function;
  }
  end_with_fault(warp, op, FaultKind::bad_call, lane,
                 function != nullptr ? "a call through a pointer to '" + function->name +
                                           "' passes other parameters than that function has"
                 : address == 0 ? "a call through a null pointer"
                                : "a call through a pointer that points to no function");
  return nullptr;
}

/// Describes the recursion of the innermost call: "'f' calls itself", "'f' calls 'g' calls 'f'".
std::string recursion(const Code& code, const CallStack& stack, const Call& innermost) {
  const auto name = [&](const Call& call) {
    return "'" + code.functions[call.function].name + "'";
  };
  std::string text = name(innermost);
  for (const Call* call = &innermost; call->before >= 0;) {
    const bool is_next = call == &innermost;
    call = &stack.calls[static_cast<std::size_t>(call->before)];
    const bool closes = call->function == innermost.function;
    if (closes && is_next) return text + " calls itself";
    text = name(*call) + " calls " + text;
    if (closes) return text;
  }
  return text;
}

/// Registers of a caller. A value is kept for each lane that called, in the order of the lanes.
struct SavedRegisters {
  const std::vector<CallSite::Saved>& list;

  static std::size_t bytes(Width width) { return width == Width::w64 ? 8 : 4; }
  std::size_t bytes() const {
    std::size_t all = 0;
    for (const CallSite::Saved& saved : list) all += bytes(saved.width);
    return all;
  }

  /// \param registers  the warp's registers, or their shadow
  void save(const std::byte* registers, Mask called, std::vector<std::byte>& to) const {
    const auto lanes = static_cast<std::size_t>(std::popcount(called));
    to.resize(bytes() * lanes);
    std::byte* value = to.data();
    for (const CallSite::Saved& saved : list) {
      const std::byte* place = registers + saved.slot;
      const std::size_t each = bytes(saved.width);
      if (saved.width == Width::predicate) {
        std::memcpy(value, place, sizeof(Mask));
      } else if (called == all_lanes) {
        std::memcpy(value, place, each * warp_lanes);
      } else {
        std::byte* at = value;
        for_each_lane(called, [&](std::size_t lane) {
          std::memcpy(at, place + each * lane, each);
          at += each;
        });
      }
      value += each * lanes;
    }
  }

  void restore(std::byte* registers, Mask returning, Mask called,
               const std::vector<std::byte>& from) const {
    const auto lanes = static_cast<std::size_t>(std::popcount(called));
    const std::byte* value = from.data();
    for (const CallSite::Saved& saved : list) {
      std::byte* place = registers + saved.slot;
      const std::size_t each = bytes(saved.width);
      if (saved.width == Width::predicate) {
        Mask own = 0;
        Mask before = 0;
        std::memcpy(&own, place, sizeof(own));
        std::memcpy(&before, value, sizeof(before));
        own = (own & ~returning) | (before & returning);
        std::memcpy(place, &own, sizeof(own));
      } else if (returning == all_lanes) {
        std::memcpy(place, value, each * warp_lanes);
      } else {
        for_each_lane(returning, [&](std::size_t lane) {
          const auto at = static_cast<std::size_t>(std::popcount(called & ((Mask{1} << lane) - 1)));
          std::memcpy(place + each * lane, value + each * at, each);
        });
      }
      value += each * lanes;
    }
  }
};

/// Copies arguments or results from one frame to another in each lane's local memory.
void copy_slots(std::byte* memory, std::uint64_t stride, Mask lanes,
                const std::vector<FrameSlot>& to, std::uint64_t to_base,
                const std::vector<FrameSlot>& from, std::uint64_t from_base,
                const std::vector<FrameSlot>& sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::byte* const target = memory + to_base + to[i].offset;
    const std::byte* const source = memory + from_base + from[i].offset;
    const auto copy = [&](auto bytes) {
      for_each_lane(lanes, [&](std::size_t lane) {
        std::memcpy(target + lane * stride, source + lane * stride, bytes);
      });
    };
    switch (sizes[i].bytes) {
      case 4: copy(std::integral_constant<std::size_t, 4>{}); break;
      case 8: copy(std::integral_constant<std::size_t, 8>{}); break;
      default: copy(sizes[i].bytes);
    }
  }
}

std::byte* local_memory(const Warp& warp, const AlignedBytes& local) {
  return local.data() + warp.thread(0) * warp.worker->launch->local_bytes;
}

/// Updates the shadows, which record undefined bytes for Check::init, when lanes enter a function.
/// The new frame is unwritten, except for the arguments, whose states are copied.
void enter_shadow(Warp& warp, const CallSite& site, const CalledFunction& function, Mask lanes,
                  std::uint64_t base, Call& call) {
  const std::uint64_t stride = warp.worker->launch->local_bytes;
  std::byte* const local = local_memory(warp, warp.block->local_shadow);
  for_each_lane(lanes, [&](std::size_t lane) {
    std::memset(local + lane * stride + base, unwritten, function.frame_bytes);
  });
  copy_slots(local, stride, lanes, function.parameters, base, site.arguments, call.base,
             site.arguments);
  SavedRegisters{site.saved}.save(warp.shadow, lanes, call.saved_shadow);
  for (const RegisterPlace& place : function.unset) set_shadow(warp, place, lanes, unset);
}

/// Updates the shadows when lanes return from a frame. Copies the states of the results to the
/// caller's frame, and restores the states of the caller's registers.
void leave_shadow(Warp& warp, const CallSite& site, const CalledFunction& function, Mask lanes,
                  std::uint64_t frame, const Call& call) {
  copy_slots(local_memory(warp, warp.block->local_shadow), warp.worker->launch->local_bytes, lanes,
             site.results, call.base, function.results, frame, site.results);
  const bool is_defined =
      std::ranges::all_of(call.saved_shadow, [](std::byte each) { return each == std::byte{}; });
  if (warp.poisoned == 0 && is_defined) return;
  SavedRegisters{site.saved}.restore(warp.shadow, lanes, call.lanes, call.saved_shadow);
  for (const CallSite::Saved& saved : site.saved) count_poison(warp, {saved.slot, saved.width});
}

/// Makes a frame the current one of some lanes.
void set_frame(const Warp& warp, Mask lanes, std::int32_t call, std::uint64_t base,
               std::uint64_t top) {
  CallStack& stack = stack_of(warp);
  const std::int32_t slot = warp.worker->code->frame_register;
  auto* const frames = slot == Operation::none ? nullptr : destination<std::uint64_t>(warp, slot);
  for_each_lane(lanes, [&](std::size_t lane) {
    stack.current[lane] = call;
    stack.base[lane] = base;
    stack.top[lane] = top;
    if (frames != nullptr) frames[lane] = base;
  });
}

/// Returns the index of an unused Call, which it may append. References into stack.calls are then
/// invalid.
std::int32_t new_call(CallStack& stack) {
  if (stack.unused.empty()) {
    stack.unused.push_back(static_cast<std::int32_t>(stack.calls.size()));
    stack.calls.emplace_back();
  }
  const std::int32_t index = stack.unused.back();
  stack.unused.pop_back();
  return index;
}

/// Lets lanes of one frame enter a function.
void enter(Warp& warp, const Operation& op, const CalledFunction& function, Mask lanes,
           std::uint64_t base, std::uint64_t top) {
  const Code& code = *warp.worker->code;
  const auto site_index = static_cast<std::uint32_t>(op.target);
  const CallSite& site = code.call_sites[site_index];
  CallStack& stack = stack_of(warp);
  const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
  const std::int32_t index = new_call(stack);
  Call& call = stack.calls[static_cast<std::size_t>(index)];
  call.site = site_index;
  call.function = static_cast<std::uint32_t>(&function - code.functions.data());
  call.return_to = op.index + 1;
  call.before = stack.current[first];
  call.lanes = call.left = lanes;
  call.base = stack.base[first];
  call.top = stack.top[first];
  const Call* const before =
      call.before < 0 ? nullptr : &stack.calls[static_cast<std::size_t>(call.before)];
  const SavedRegisters registers{site.saved};
  call.depth = 1 + (before == nullptr ? 0 : before->depth);
  call.taken = registers.bytes() + (before == nullptr ? 0 : before->taken);
  // clear_local() zeroes the part of the frame that no earlier call has used.
  const std::uint64_t used = std::min(cleared_local(warp), base + function.frame_bytes);
  clear_local(warp, top);
  const std::uint64_t stride = warp.worker->launch->local_bytes;
  std::byte* const local = local_memory(warp, warp.block->local);
  for_each_lane(lanes, [&](std::size_t lane) {
    std::byte* const own = local + lane * stride;
    // A frame's size is a multiple of 16 bytes.
    for (std::uint64_t at = base; at < used; at += 16) std::memset(own + at, 0, 16);
  });
  copy_slots(local, stride, lanes, function.parameters, base, site.arguments, call.base,
             site.arguments);
  registers.save(warp.registers, lanes, call.saved);
  if (warp.shadow != nullptr) enter_shadow(warp, site, function, lanes, base, call);
  set_frame(warp, lanes, index, base, top);
}

}  // namespace

void clear_local(Warp& warp, std::uint64_t end) {
  const std::uint64_t begin = cleared_local(warp);
  if (end <= begin) return;
  const std::uint64_t stride = warp.worker->launch->local_bytes;
  for (std::uint64_t lane = 0; lane < warp_lanes; ++lane) {
    std::memset(local_memory(warp, warp.block->local) + lane * stride + begin, 0, end - begin);
    if (warp.shadow != nullptr) {
      std::memset(local_memory(warp, warp.block->local_shadow) + lane * stride + begin, unwritten,
                  end - begin);
    }
  }
  stack_of(warp).cleared = end;
}

bool has_stack(Warp& warp, const Operation& op, int lane, std::uint64_t begin,
               std::uint64_t bytes) {
  const Launch& launch = *warp.worker->launch;
  const CallStack& stack = stack_of(warp);
  const std::int32_t index = stack.current[static_cast<std::size_t>(lane)];
  const Call* const call = index < 0 ? nullptr : &stack.calls[static_cast<std::size_t>(index)];
  const std::uint64_t end = launch.local_bytes;
  const std::uint64_t taken = call == nullptr ? 0 : call->taken;
  if (begin <= end && bytes <= end - begin && taken <= end - begin - bytes) return true;
  std::string message =
      "the thread's stack of " + std::to_string(end - launch.code->local_bytes) + " bytes is full";
  if (call != nullptr) {
    message += ": " + recursion(*launch.code, stack, *call) + ", " + std::to_string(call->depth) +
               " calls deep";
  }
  end_with_fault(warp, op, FaultKind::stack_overflow, lane, std::move(message));
  return false;
}

const std::vector<Destination>& enter_functions(Warp& warp, const Operation& op, Mask lanes) {
  const CallSite& site = warp.worker->code->call_sites[static_cast<std::size_t>(op.target)];
  constexpr std::uint64_t return_bytes = 16;
  warp.wrote = true;  // a call writes the stack
  CallStack& stack = stack_of(warp);
  stack.destinations.clear();
  const auto* const pointers = site.function >= 0 ? nullptr : source<std::uint64_t>(warp, op.a);
  while (lanes != 0) {
    const int lane = std::countr_zero(lanes);
    const auto first = static_cast<std::size_t>(lane);
    Mask together = equal_lanes(stack.current.data(), first, lanes);
    together = equal_lanes(stack.top.data(), first, together);
    if (pointers != nullptr) together = equal_lanes(pointers, first, together);
    lanes &= ~together;
    const CalledFunction* function = function_called(warp, op, site, lane);
    const std::uint64_t base = (stack.top[first] + 15) / 16 * 16;
    if (function == nullptr ||
        !has_stack(warp, op, lane, base, function->frame_bytes + return_bytes)) {
      stack.destinations.clear();
      break;
    }
    enter(warp, op, *function, together, base, base + function->frame_bytes + return_bytes);
    add_lanes(stack.destinations, static_cast<std::uint32_t>(function->entry), together);
  }
  return stack.destinations;
}

const std::vector<Destination>& leave_functions(Warp& warp, Mask lanes) {
  const Code& code = *warp.worker->code;
  warp.wrote = true;
  CallStack& stack = stack_of(warp);
  stack.destinations.clear();
  while (lanes != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::int32_t index = stack.current[first];
    Call& call = stack.calls[static_cast<std::size_t>(index)];
    const Mask together = equal_lanes(stack.current.data(), first, lanes);
    lanes &= ~together;
    const CalledFunction& function = code.functions[call.function];
    const CallSite& site = code.call_sites[call.site];
    const std::uint64_t frame = stack.base[first];
    copy_slots(local_memory(warp, warp.block->local), warp.worker->launch->local_bytes, together,
               site.results, call.base, function.results, frame, site.results);
    SavedRegisters{site.saved}.restore(warp.registers, together, call.lanes, call.saved);
    if (warp.shadow != nullptr) leave_shadow(warp, site, function, together, frame, call);
    set_frame(warp, together, call.before, call.base, call.top);
    add_lanes(stack.destinations, call.return_to, together);
    call.left &= ~together;
    if (call.left == 0) stack.unused.push_back(index);
  }
  return stack.destinations;
}

}  // namespace warpwise::emulator
