#include "warpwise/emulator/decode/decoder.hpp"

// Branches, calls, returns, barriers.

#include <algorithm>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/system_calls.hpp"
#include "warpwise/emulator/instructions/warp_operations.hpp"

namespace warpwise::emulator {
namespace {

constexpr int deepest_call = 64;

}  // namespace

void Decoder::decode_barrier() {
  if (has("cluster")) refuse("clusters are not run");
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

void Decoder::decode_return(bool inlined, std::size_t remaining) {
  if (!inlined) {
    emit_control(Control::exit);
    return;
  }
  if (remaining == 0 && current_->guard.empty()) return;  // falls out of the inlined body
  Operation& op = emit(nullptr, InstructionClass::control);
  op.control = Control::branch;
  frame_->branches.push_back({op.index, {end_label}, false, current_});
}

const ptx::Function* Decoder::find_function(const std::string& name) const {
  for (const ptx::Function& function : module_.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

void Decoder::decode_call() {
  std::vector<Operand> results;
  std::vector<Operand> arguments;
  std::string name;
  for (const Operand& operand : current_->operands) {
    if (operand.kind == Operand::Kind::list)
      (name.empty() ? results : arguments) = operand.elements;
    else if (operand.kind == Operand::Kind::name && name.empty())
      name = operand.name;
  }
  const ptx::Function* callee = find_function(name);
  if (callee == nullptr) {
    if (lookup(name) != nullptr) refuse("calls through a pointer are not run");
    malformed("calls '" + name + "', which is not declared");
  }
  if (!callee->has_body) {
    decode_system_call(name, results, arguments);
    return;
  }
  if (!current_->guard.empty()) refuse("a guarded call");
  if (frame_->depth >= deepest_call ||
      std::find(calls_.begin(), calls_.end(), callee) != calls_.end()) {
    refuse("'" + name + "' calls itself, and calls are run by inlining");
  }
  if (results.size() != callee->results.size() || arguments.size() != callee->parameters.size()) {
    malformed("gives '" + name + "' another number of arguments than it has parameters");
  }
  Frame frame;
  frame.function = callee;
  frame.depth = frame_->depth + 1;
  std::vector<std::pair<Symbol, Symbol>> moves_in;
  const auto bind = [&](const ptx::Variable& formal, const Operand& actual) {
    const Symbol* symbol = lookup(actual.name);
    if (symbol == nullptr || actual.kind != Operand::Kind::name)
      refuse("with an argument that is no variable");
    if (formal.space == "reg" ? symbol->kind != Symbol::Kind::reg
                              : symbol->kind != Symbol::Kind::argument) {
      refuse("with an argument of another kind than the parameter");
    }
    frame.symbols[formal.name] = *symbol;
  };
  for (std::size_t i = 0; i < results.size(); ++i) bind(callee->results[i], results[i]);
  for (std::size_t i = 0; i < arguments.size(); ++i) bind(callee->parameters[i], arguments[i]);
  const ptx::Instruction* call = current_;
  Frame* caller = frame_;
  calls_.push_back(callee);
  const std::uint64_t top = local_top_;
  decode_function(frame);
  local_top_ = top;
  calls_.pop_back();
  frame_ = caller;
  current_ = call;
}

void Decoder::decode_system_call(const std::string& name, const std::vector<Operand>& results,
                                 const std::vector<Operand>& arguments) {
  const Handler handler = system_call(observers_, name);
  if (handler == nullptr) {
    throw Unsupported(place(current_->source, current_->ptx_line) +
                      ": the emulator has no function '" + name +
                      "'; it has printf and assert of the device's own functions");
  }
  // Operands: the places of the arguments, and of the result, in local memory.
  std::vector<std::int32_t> list;
  const auto add = [&](const Operand& operand) {
    const Symbol* symbol = lookup(operand.name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::argument)
      refuse("with an argument in a register");
    list.push_back(constant(symbol->offset, Width::w64));
  };
  for (const Operand& argument : arguments) add(argument);
  for (const Operand& result : results) add(result);
  Operation& op = emit(handler, InstructionClass::control);
  op.list = new_list(list);
  op.count = static_cast<std::uint8_t>(list.size());
}

}  // namespace warpwise::emulator
