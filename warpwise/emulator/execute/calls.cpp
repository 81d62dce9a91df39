#include "warpwise/emulator/execute/calls.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/shadow.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

void add_lane(std::vector<Destination>& destinations, std::uint32_t pc, int lane) {
  const Mask bit = Mask{1} << lane;
  for (Destination& each : destinations) {
    if (each.pc != pc) continue;
    each.lanes |= bit;
    return;
  }
  destinations.push_back({pc, bit});
}

void end_with_fault(Warp& warp, const Operation& op, FaultKind kind, int lane,
                    std::string message) {
  record_fault(warp, op, kind, lane, std::move(message));
  warp.worker->launch->progress->stop = true;
}

/// Returns the function that a lane calls; null, with a fault, for a pointer to no function.
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
                 function != nullptr ? "a pointer to '" + function->name +
                                           "' is called with other parameters than that has"
                 : address == 0 ? "a null pointer is called"
                                : "a pointer to no function is called");
  return nullptr;
}

/// Describes a recursion at the top of a stack: "'f' calls itself", "'f' calls 'g', which calls
/// 'f'".
std::string recursion(const Code& code, const CallStack& stack) {
  if (stack.frames.empty()) return {};
  const auto name = [&](const CallFrame& frame) {
    return "'" + code.functions[frame.function].name + "'";
  };
  const std::uint32_t top = stack.frames.back().function;
  std::string text = name(stack.frames.back());
  for (std::size_t i = stack.frames.size() - 1; i-- > 0;) {
    const bool closes = stack.frames[i].function == top;
    if (closes && i + 2 == stack.frames.size()) return text + " calls itself";
    text = name(stack.frames[i]) + " calls " + text;
    if (closes) return text;
  }
  return text;
}

struct SavedRegisters {
  const std::vector<CallSite::Saved>& list;

  static std::size_t bytes(Width width) { return width == Width::w64 ? 8 : 4; }
  std::size_t bytes() const {
    std::size_t all = 0;
    for (const CallSite::Saved& saved : list) all += bytes(saved.width);
    return all;
  }

  /// Calls body(a register, its width, the place of its saved value).
  template <class Registers, class Value, class Body>
  void for_each(Registers* registers, Value* value, const Body& body) const {
    for (const CallSite::Saved& saved : list) {
      body(registers + saved.slot, saved.width, value);
      value += bytes(saved.width);
    }
  }

  /// \param registers  the warp's registers, or their shadow
  void save(const std::byte* registers, int lane, std::vector<std::byte>& to) const {
    const std::size_t before = to.size();
    to.resize(before + bytes());
    const auto at = static_cast<std::size_t>(lane);
    for_each(registers, to.data() + before,
             [&](const std::byte* place, Width width, std::byte* value) {
               if (width == Width::predicate) {
                 Mask mask = 0;
                 std::memcpy(&mask, place, sizeof(mask));
                 value[0] = static_cast<std::byte>(mask >> lane & 1);
               } else if (width == Width::w64) {
                 std::memcpy(value, place + 8 * at, 8);
               } else {
                 std::memcpy(value, place + 4 * at, 4);
               }
             });
  }

  void restore(std::byte* registers, int lane, std::vector<std::byte>& from) const {
    const std::size_t before = from.size() - bytes();
    const auto at = static_cast<std::size_t>(lane);
    for_each(registers, from.data() + before,
             [&](std::byte* place, Width width, const std::byte* value) {
               if (width == Width::predicate) {
                 Mask mask = 0;
                 std::memcpy(&mask, place, sizeof(mask));
                 mask = (mask & ~(Mask{1} << lane)) | static_cast<Mask>(value[0]) << lane;
                 std::memcpy(place, &mask, sizeof(mask));
               } else if (width == Width::w64) {
                 std::memcpy(place + 8 * at, value, 8);
               } else {
                 std::memcpy(place + 4 * at, value, 4);
               }
             });
    from.resize(before);
  }
};

/// Updates the shadow of a lane's local memory and registers at a call and at a return.
class CalledShadow {
 public:
  CalledShadow(Warp& warp, int lane, const CallSite& site, const CalledFunction& function)
      : warp_(warp), lane_(lane), site_(site), function_(function),
        stack_(warp.block->stacks[warp.thread(lane)]),
        own_(warp.block->local_shadow.data() +
             warp.thread(lane) * warp.worker->launch->local_bytes) {}

  void enter(std::uint64_t base) const {
    std::memset(own_ + base, unwritten, function_.frame_bytes);
    for (std::size_t i = 0; i < site_.arguments.size(); ++i) {
      std::memcpy(own_ + base + function_.parameters[i].offset,
                  own_ + stack_.base + site_.arguments[i].offset, site_.arguments[i].bytes);
    }
    SavedRegisters{site_.saved}.save(warp_.shadow, lane_, stack_.saved_shadow);
    for (const RegisterPlace& place : function_.unset)
      set_shadow(warp_, place, Mask{1} << lane_, unset);
  }

  void leave(std::uint64_t base) const {
    for (std::size_t i = 0; i < site_.results.size(); ++i) {
      std::memcpy(own_ + base + site_.results[i].offset,
                  own_ + stack_.base + function_.results[i].offset, site_.results[i].bytes);
    }
    auto& all = stack_.saved_shadow;
    const auto own = all.end() - static_cast<std::ptrdiff_t>(SavedRegisters{site_.saved}.bytes());
    const bool is_defined = std::all_of(own, all.end(), [](auto b) { return b == std::byte{}; });
    if (warp_.poisoned == 0 && is_defined) {
      all.erase(own, all.end());
      return;
    }
    SavedRegisters{site_.saved}.restore(warp_.shadow, lane_, all);
    for (const CallSite::Saved& saved : site_.saved) count_poison(warp_, {saved.slot, saved.width});
  }

 private:
  Warp& warp_;
  int lane_;
  const CallSite& site_;
  const CalledFunction& function_;
  CallStack& stack_;
  std::byte* own_;
};

void set_frame_register(const Warp& warp, int lane, std::uint64_t base) {
  const std::int32_t slot = warp.worker->code->frame_register;
  if (slot != Operation::none) destination<std::uint64_t>(warp, slot)[lane] = base;
}

}  // namespace

bool has_stack(Warp& warp, const Operation& op, int lane, std::uint64_t begin,
               std::uint64_t bytes) {
  const Launch& launch = *warp.worker->launch;
  const CallStack& stack = warp.block->stacks[warp.thread(lane)];
  const std::uint64_t end = launch.local_bytes;
  const std::uint64_t taken = stack.saved.size();
  if (begin <= end && bytes <= end - begin && taken <= end - begin - bytes) return true;
  std::string message =
      "the thread's stack of " + std::to_string(end - launch.code->local_bytes) + " bytes is full";
  if (!stack.frames.empty()) {
    message += ": " + recursion(*launch.code, stack) + ", " + std::to_string(stack.frames.size()) +
               " calls deep";
  }
  end_with_fault(warp, op, FaultKind::stack_overflow, lane, std::move(message));
  return false;
}

std::vector<Destination> enter_functions(Warp& warp, const Operation& op, Mask lanes) {
  const Code& code = *warp.worker->code;
  const auto site_index = static_cast<std::uint32_t>(op.target);
  const CallSite& site = code.call_sites[site_index];
  const std::uint64_t local = warp.worker->launch->local_bytes;
  constexpr std::uint64_t return_bytes = 16;
  warp.wrote = true;  // a call writes the stack
  std::vector<Destination> destinations;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const CalledFunction* function = function_called(warp, op, site, lane);
    if (function == nullptr) return {};
    CallStack& stack = warp.block->stacks[warp.thread(lane)];
    const std::uint64_t base = (stack.top + 15) / 16 * 16;
    if (!has_stack(warp, op, lane, base, function->frame_bytes + return_bytes)) return {};
    std::byte* own = warp.block->local.data() + warp.thread(lane) * local;
    std::memset(own + base, 0, function->frame_bytes);
    for (std::size_t i = 0; i < site.arguments.size(); ++i) {
      std::memcpy(own + base + function->parameters[i].offset,
                  own + stack.base + site.arguments[i].offset, site.arguments[i].bytes);
    }
    SavedRegisters{site.saved}.save(warp.registers, lane, stack.saved);
    if (warp.shadow != nullptr) CalledShadow(warp, lane, site, *function).enter(base);
    stack.frames.push_back({site_index,
                            static_cast<std::uint32_t>(function - code.functions.data()),
                            op.index + 1, stack.base, stack.top});
    stack.base = base;
    stack.top = base + function->frame_bytes + return_bytes;
    set_frame_register(warp, lane, base);
    add_lane(destinations, static_cast<std::uint32_t>(function->entry), lane);
  }
  return destinations;
}

std::vector<Destination> leave_functions(Warp& warp, Mask lanes) {
  const Code& code = *warp.worker->code;
  const std::uint64_t local = warp.worker->launch->local_bytes;
  warp.wrote = true;
  std::vector<Destination> destinations;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    CallStack& stack = warp.block->stacks[warp.thread(lane)];
    const CallFrame frame = stack.frames.back();
    stack.frames.pop_back();
    const CalledFunction& function = code.functions[frame.function];
    const CallSite& site = code.call_sites[frame.site];
    std::byte* own = warp.block->local.data() + warp.thread(lane) * local;
    for (std::size_t i = 0; i < site.results.size(); ++i) {
      std::memcpy(own + frame.base + site.results[i].offset,
                  own + stack.base + function.results[i].offset, site.results[i].bytes);
    }
    SavedRegisters{site.saved}.restore(warp.registers, lane, stack.saved);
    if (warp.shadow != nullptr) CalledShadow(warp, lane, site, function).leave(frame.base);
    stack.base = frame.base;
    stack.top = frame.top;
    set_frame_register(warp, lane, frame.base);
    add_lane(destinations, frame.return_to, lane);
  }
  return destinations;
}

}  // namespace warpwise::emulator
