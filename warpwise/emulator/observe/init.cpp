#include "warpwise/emulator/observe/init.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

bool has_modifier(std::string_view name, std::string_view modifier) {
  for (std::size_t at = name.find('.'); at != std::string_view::npos;) {
    const std::size_t next = name.find('.', at + 1);
    if (name.substr(at + 1, next - at - 1) == modifier) return true;
    at = next;
  }
  return false;
}

template <class... Word>
bool is_any(std::string_view word, Word... words) {
  return ((word == std::string_view(words)) || ...);
}

/// Returns true for instructions whose results may be defined although an operand is not.
bool is_tried(std::string_view opcode, std::string_view name) {
  if (is_any(opcode, "mov", "selp", "slct", "and", "or", "xor", "not", "cnot", "lop3", "shl", "shr",
             "shf", "prmt", "bfe", "bfi", "brev", "vote", "shfl", "mma", "movmatrix")) {
    return true;
  }
  if (opcode == "wmma") return has_modifier(name, "mma");
  for (const char* pair : {"f16x2", "bf16x2", "u16x2", "s16x2", "f32x2"}) {
    if (has_modifier(name, pair)) return true;
  }
  // vadd2, vmax4, …
  if (opcode.starts_with("v") && (opcode.ends_with("2") || opcode.ends_with("4"))) return true;
  if (opcode != "cvt" || has_modifier(name, "sat")) return false;
  const std::size_t dot = name.find('.');
  const std::size_t second = name.find('.', dot + 1);
  const auto is_integer = [&](std::size_t at) {
    return at < name.size() && (name[at + 1] == 'u' || name[at + 1] == 's') &&
           name[at + 2] >= '0' && name[at + 2] <= '9';
  };
  return is_integer(dot) && is_integer(second);
}

/// Returns true for integer instructions in which result bit n depends only on operand bits up to
/// n.
bool is_summed(std::string_view opcode, std::string_view name) {
  if (!is_any(opcode, "add", "sub", "neg", "mul", "mad") || has_modifier(name, "sat")) return false;
  if (is_any(opcode, "mul", "mad") && !has_modifier(name, "lo")) return false;
  const std::string_view type = name.substr(name.rfind('.') + 1);
  return is_any(type, "u16", "u32", "u64", "s16", "s32", "s64");
}

}  // namespace

/// Returns true if trial values can show which bits of the result are undefined. The operation must
/// move bits by defined distances, or compute each bit only from bits in the same position.
bool Init::shows_bits(const Operation& op) const {
  const std::string_view name = code_->names[op.index];
  const std::string_view opcode = name.substr(0, name.find('.'));
  if (is_any(opcode, "mov", "selp", "slct", "and", "or", "xor", "not", "lop3", "brev", "cvt"))
    return true;
  const bool moves_one = is_any(opcode, "shl", "shr", "bfe");
  const bool moves_two = is_any(opcode, "shf", "prmt", "bfi");
  const auto is_moved = [&](RegisterPlace each) {
    return each.offset == op.a || (moves_two && each.offset == op.b);
  };
  return (moves_one || moves_two) && std::ranges::all_of(sources_, is_moved);
}

Init::Init(const Launch& launch)
    : Observer(launch), launch_(&launch), code_(launch.code),
      is_on_(launch.checks.has(Check::init)) {
  if (!is_on_) return;
  kinds_.resize(code_->operations.size(), Kind::unknown);
  has_shuffles_ = std::ranges::count(code_->classes, InstructionClass::shuffle) > 0;
}

void Init::on_block_end(Block& block) {
  if (states_.empty()) return;
  for (const Warp& warp : block.warps) states_.erase(&warp);
}

Init::Kind Init::kind_of(const Operation& op) {
  Kind& kind = kinds_[op.index];
  if (kind != Kind::unknown) return kind;
  const std::string_view name = code_->names[op.index];
  const std::string_view opcode = name.substr(0, name.find('.'));
  const bool is_plain = op.control == Control::plain || op.control == Control::converge;
  if (op.control == Control::warpgroup) {
    kind = Kind::unseen;
  } else if (!is_plain) {
    kind = Kind::control;
  } else if (op.site >= 0) {
    kind = is_any(opcode, "ld", "ldu", "st", "atom", "red")                ? Kind::access
           : is_any(opcode, "ldmatrix", "stmatrix", "wmma")                ? Kind::matrix
           : is_any(opcode, "tex", "tld4", "suld", "sust")                 ? Kind::texture
           : opcode == "mbarrier" || name.starts_with("cp.async.mbarrier") ? Kind::mbarrier
           : opcode == "cp" && !has_modifier(name, "tensor")               ? Kind::copy
                                                                           : Kind::unseen;
  } else if (opcode == "call") {
    kind = Kind::call;
  } else if (is_any(opcode, "alloca", "stackrestore")) {
    kind = Kind::stack;
  } else if (is_any(opcode, "match", "redux")) {
    kind = Kind::crossing;
  } else if (is_any(opcode, "setp", "set")) {
    kind = Kind::compared;
  } else if (is_any(opcode, "addc", "subc", "madc") || has_modifier(name, "cc")) {
    kind = Kind::carried;
  } else if (is_tried(opcode, name)) {
    kind = Kind::tried;
  } else {
    kind = is_summed(opcode, name) ? Kind::summed : Kind::mixed;
  }
  return kind;
}

/// Returns the place of a register operand; for a constant a place of Width::none.
RegisterPlace Init::operand(const Operation& op, std::int32_t offset) const {
  const Accesses& own = code_->accesses[op.index];
  for (const auto* registers : {&own.reads, &own.writes}) {
    for (const std::int32_t v : *registers) {
      if (place_of(v).offset == offset && place_of(v).width != Width::none) return place_of(v);
    }
  }
  return {};
}

/// Returns the place of the register at `offset`, with its width if the operation writes it, else
/// as 32 bits.
RegisterPlace Init::written(const Operation& op, std::int32_t offset) const {
  for (const std::int32_t v : code_->accesses[op.index].writes) {
    if (place_of(v).offset == offset) return place_of(v);
  }
  return {offset, Width::w32};
}

/// Handles an undefined guard: it controls a side effect, or makes the results undefined.
void Init::guard(Warp& warp, const Operation& op, Mask lanes) {
  const RegisterPlace place{op.guard, Width::predicate};
  const Mask undefined = undefined_lanes(warp, place) & lanes;
  if (undefined == 0) return;
  const Kind kind = kind_of(op);
  const bool loads = kind == Kind::access &&
                     code_->sites[static_cast<std::size_t>(op.site)].kind == InstructionClass::load;
  const bool computes = kind == Kind::tried || kind == Kind::summed || kind == Kind::mixed ||
                        kind == Kind::crossing || kind == Kind::compared || kind == Kind::carried ||
                        loads;
  if (computes && op.control == Control::plain) {
    Origins origins{};
    const auto& all = state_of(warp).origins;
    if (const auto found = all.find(op.guard); found != all.end()) origins = found->second;
    for (const std::int32_t v : code_->accesses[op.index].writes)
      poison(warp, place_of(v), undefined, origins);
    return;
  }
  const bool branches = op.control == Control::branch || op.control == Control::branch_indexed;
  check_operand(warp, op, op.guard, lanes,
                branches ? "the direction of a branch" : "the execution of an instruction");
}

void Init::check_operand(Warp& warp, const Operation& op, std::int32_t offset, Mask lanes,
                         std::string_view what) {
  if (offset < 0) return;
  const RegisterPlace place = operand(op, offset);
  if (place.width == Width::none) return;
  const Mask undefined = undefined_lanes(warp, place) & lanes;
  if (undefined == 0) return;
  Origins origins{};
  const auto& all = state_of(warp).origins;
  if (const auto found = all.find(offset); found != all.end()) origins = found->second;
  report(warp, op, undefined, origins, what);
  set_shadow(warp, place, undefined, 0);
}

/// Checks operands that affect more than a result's value.
void Init::check_operands(Warp& warp, const Operation& op, Kind kind, Mask lanes) {
  if (op.control == Control::converge)
    check_operand(warp, op, op.members, lanes, "the member mask of an instruction");
  const auto check_list = [&](std::size_t begin, std::size_t end, std::string_view what) {
    const std::int32_t* list = code_->lists.data() + op.list;
    for (std::size_t i = begin; i < end; ++i) check_operand(warp, op, list[i], lanes, what);
  };
  switch (kind) {
    case Kind::access: check_operand(warp, op, op.a, lanes, "an address"); break;
    case Kind::matrix:
      check_operand(warp, op, op.a, lanes, "an address");
      if (code_->names[op.index].starts_with("wmma")) check_list(0, 1, "an address");
      break;
    case Kind::copy:
      check_operand(warp, op, op.a, lanes, "an address");
      check_list(0, 3, "an operand of a copy");
      break;
    case Kind::mbarrier:
      for (const std::int32_t offset : {op.a, op.b, op.c})
        check_operand(warp, op, offset, lanes, "an operand of an mbarrier");
      break;
    case Kind::texture: check_list(4, 9, "the place of an access to a texture or surface"); break;
    case Kind::stack: check_operand(warp, op, op.a, lanes, "the size of the stack"); break;
    case Kind::control:
      if (op.control == Control::branch_indexed)
        check_operand(warp, op, op.a, lanes, "the direction of a branch");
      if (op.control == Control::call)
        check_operand(warp, op, op.a, lanes, "the choice of a function");
      if (op.control == Control::barrier) {
        for (const std::int32_t offset : {op.a, op.b, op.c})
          check_operand(warp, op, offset, lanes, "an operand of a barrier");
      }
      break;
    default: break;
  }
}

std::string Init::described(const Warp& warp, const Origin& origin) const {
  switch (origin.missing) {
    case Missing::none: break;
    case Missing::absent: return "a lane that the block does not have";
    case Missing::exited: return "a lane that has exited before the shuffle";
    case Missing::not_a_member: return "a lane that the shuffle's member mask leaves out";
  }
  if (!origin.in_memory) return "an uninitialised register";
  std::string text;
  switch (origin.space) {
    case Space::shared:
      text = "byte " + std::to_string(launch_->code->without_gaps(origin.address)) +
             " of the block's " +
             std::to_string(launch_->code->without_gaps(launch_->shared_bytes)) +
             " bytes of shared memory";
      break;
    case Space::local:
      text = "byte " + std::to_string(origin.address) + " of the thread's " +
             std::to_string(launch_->local_bytes) + " bytes of local memory";
      break;
    default: text = warp.worker->device->describe(origin.address);
  }
  if (is_computed(origin.state)) return text + ", computed from uninitialised values";
  if (origin.state == copied) return text + ", a copy of uninitialised values";
  return text + ", which is uninitialised";
}

void Init::report(Warp& warp, const Operation& op, Mask lanes, const Origins& origins,
                  std::string_view what) {
  const auto& faults = warp.worker->faults;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    // Only the first thread's message is kept.
    const auto found = faults.find({FaultKind::uninitialised, op.index});
    const bool is_told =
        found != faults.end() && std::pair(found->second.block, found->second.thread) <=
                                     std::pair(warp.block->linear, warp.thread(lane));
    std::string message;
    if (!is_told) {
      message = std::string(what) + " depends on " +
                described(warp, origins[static_cast<std::size_t>(lane)]);
    }
    record_fault(warp, op, FaultKind::uninitialised, lane, std::move(message));
    // If a barrier is missing, another thread may write the value later. Then a race is the cause.
    const Origin& origin = origins[static_cast<std::size_t>(lane)];
    if (!is_told) {
      warp.worker->faults[{FaultKind::uninitialised, op.index}].may_follow_from_race =
          origin.in_memory && origin.space == Space::shared;
    }
  }
}

/// Returns the origin of an operation's undefined operands for each lane. A lane without an
/// undefined operand gets the first known origin.
Init::Origins Init::origins_of(Warp& warp, const Operation& op) {
  Origins result{};
  Mask known = 0;
  const auto& all = state_of(warp).origins;
  for (const std::int32_t v : code_->accesses[op.index].reads) {
    const Mask lanes = undefined_lanes(warp, place_of(v)) & ~known;
    const auto found = all.find(place_of(v).offset);
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (found != all.end()) result[lane] = found->second[lane];
    }
    known |= lanes;
  }
  if (known == 0) return result;
  const Origin first = result[static_cast<std::size_t>(std::countr_zero(known))];
  for (int i = 0; i < warp_lanes; ++i) {
    if ((known >> i & 1) == 0) result[static_cast<std::size_t>(i)] = first;
  }
  return result;
}

}  // namespace warpwise::emulator
