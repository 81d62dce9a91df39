#include "warpwise/emulator/decode/decoder.hpp"

// Branches, returns, barriers.

#include <algorithm>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/warp_operations.hpp"

namespace warpwise::emulator {

void Decoder::decode_barrier() {
  if (has("cluster")) {
    BarrierFlags flags;
    flags.kind = has("arrive") ? BarrierKind::cluster_arrive : BarrierKind::cluster_wait;
    Operation& op = emit(nullptr, InstructionClass::barrier);
    op.control = Control::barrier;
    op.releases = !has("relaxed");
    op.flags = packed_flags(flags);
    return;
  }
  if (has("warp")) {
    const std::int32_t members = read(operand(0), Width::w32);
    Operation& op = emit(warp_operations().at("nothing").handler, InstructionClass::barrier);
    op.control = Control::converge;
    op.members = members;
    return;
  }
  BarrierFlags flags;
  if (has("arrive"))
    flags.kind = BarrierKind::arrive;
  else if (has("popc"))
    flags.kind = BarrierKind::reduce_popc;
  else if (has("and"))
    flags.kind = BarrierKind::reduce_and;
  else if (has("or"))
    flags.kind = BarrierKind::reduce_or;
  std::size_t next = 0;
  std::int32_t result = Operation::none;
  const bool reduces = has("red");
  const bool combines = has("popc") || has("and") || has("or");
  if (reduces != combines || (reduces && has("arrive")))
    malformed("is neither a barrier nor a barrier with a reduction");
  if (reduces) {
    result = write(operand(next++),
                   flags.kind == BarrierKind::reduce_popc ? Width::w32 : Width::predicate);
  }
  const std::int32_t id = read(operand(next++), Width::w32);
  std::int32_t count = Operation::none;
  const std::size_t last = current_->operands.size() - (reduces ? 1 : 0);
  if (next < last) count = read(operand(next++), Width::w32);
  std::int32_t vote = Operation::none;
  bool negated = false;
  if (reduces) {
    vote = read(operand(next), Width::predicate);
    negated = operand(next).negated;
  }
  Operation& op = emit(nullptr, InstructionClass::barrier);
  op.control = Control::barrier;
  op.dst = result;
  op.a = id;
  op.b = count;
  op.c = vote;
  op.c_negated = negated;
  op.flags = packed_flags(flags);
}

void Decoder::decode_branch() {
  const Operand& target = operand(0);
  if (target.kind != Operand::Kind::name) malformed("has no label");
  Operation& op = emit(nullptr, InstructionClass::control);
  op.control = Control::branch;
  frame_->branches.push_back({op.index, {target.name}, false, current_});
}

void Decoder::decode_indexed_branch() {
  const std::int32_t index = read(operand(0), Width::w32);
  const std::string& name = operand(1).name;
  const auto& all = frame_->function->branch_targets;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.name == name; });
  if (found == all.end() || found->targets.empty())
    malformed("has no list of targets '" + name + "'");
  Operation& op = emit(nullptr, InstructionClass::control);
  op.control = Control::branch_indexed;
  op.a = index;
  frame_->branches.push_back({op.index, found->targets, true, current_});
}

void Decoder::decode_return(std::size_t remaining) {
  if (frame_->depth == 0) {
    emit_control(frame_->is_called ? Control::ret : Control::exit);
    return;
  }
  if (remaining == 0 && current_->guard.empty()) return;  // continues after the inlined body
  Operation& op = emit(nullptr, InstructionClass::control);
  op.control = Control::branch;
  frame_->branches.push_back({op.index, {end_label}, false, current_});
}

}  // namespace warpwise::emulator
