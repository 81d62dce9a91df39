#include <algorithm>
#include <utility>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/emulator/decode/decoder.hpp"
#include "warpwise/emulator/instructions/calls/device_runtime.hpp"
#include "warpwise/emulator/instructions/calls/system_calls.hpp"
#include "warpwise/emulator/instructions/memory/stack.hpp"

// Calls. They are inlined if possible. Recursive, deeply nested and guarded calls, and calls by
// pointer, are made at run time. The called functions are decoded once, after the kernel.

namespace warpwise::emulator {
namespace {

constexpr int deepest_inlined_call = 64;
constexpr std::uint64_t slot_alignment = 16;

/// Returns the sizes of results and parameters, which a call and its function must agree on.
std::vector<std::uint64_t> signature(const std::vector<FrameSlot>& results,
                                     const std::vector<FrameSlot>& parameters) {
  std::vector<std::uint64_t> bytes{results.size()};
  for (const auto* slots : {&results, &parameters}) {
    for (const FrameSlot& slot : *slots) bytes.push_back(slot.bytes);
  }
  return bytes;
}

/// Describes a call with another number of arguments or results than its function has.
std::string other_numbers(const std::string& name, std::size_t arguments, std::size_t results,
                          std::size_t parameters_of_function, std::size_t results_of_function) {
  return "passes " + counted(arguments, "argument") + " to '" + name + "' and takes " +
         counted(results, "result") + "; the function has " +
         counted(parameters_of_function, "parameter") + " and " +
         counted(results_of_function, "result");
}

}  // namespace

const ptx::Function* Decoder::find_function(const std::string& name) const {
  for (const ptx::Function& function : module_.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

void Decoder::decode_call() {
  CallOperands call;
  const Operand* target = nullptr;
  for (const Operand& operand : current_->operands) {
    if (operand.kind == Operand::Kind::list)
      (target == nullptr ? call.results : call.arguments) = operand.elements;
    else if (operand.kind == Operand::Kind::name && target == nullptr)
      target = &operand;
  }
  if (target == nullptr) malformed("names no function");
  const ptx::Function* callee = find_function(target->name);
  if (callee == nullptr) {
    const Symbol* pointer = lookup(target->name);
    if (pointer == nullptr) malformed("calls '" + target->name + "', which is not declared");
    call.pointer = target;
    call_at_run_time(nullptr, call);
    return;
  }
  // nvcc links the PTX of CUDA's device runtime, whose functions make undocumented calls of the
  // driver. The bodies of these functions are therefore not decoded.
  if (!callee->has_body || is_device_runtime_call(callee->name)) {
    decode_system_call(callee->name, call);
    return;
  }
  if (call.results.size() != callee->results.size() ||
      call.arguments.size() != callee->parameters.size()) {
    malformed(other_numbers(callee->name, call.arguments.size(), call.results.size(),
                            callee->parameters.size(), callee->results.size()));
  }
  const bool recurses = std::find(calls_.begin(), calls_.end(), callee) != calls_.end();
  if (recurses || frame_->depth >= deepest_inlined_call || !current_->guard.empty())
    call_at_run_time(callee, call);
  else
    inline_call(*callee, call);
}

void Decoder::inline_call(const ptx::Function& callee, const CallOperands& call) {
  count_inlined(callee);
  Frame frame;
  frame.function = &callee;
  frame.depth = frame_->depth + 1;
  const auto bind = [&](const ptx::Variable& formal, const Operand& actual) {
    const Symbol* symbol = lookup(actual.name);
    if (symbol == nullptr || actual.kind != Operand::Kind::name)
      refuse("an argument or result is not a variable");
    if (formal.space == "reg" ? symbol->kind != Symbol::Kind::reg
                              : symbol->kind != Symbol::Kind::argument) {
      refuse(
          "an argument or result and its parameter are not both registers or both .param "
          "variables");
    }
    frame.symbols[formal.name] = *symbol;
  };
  for (std::size_t i = 0; i < call.results.size(); ++i) bind(callee.results[i], call.results[i]);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    bind(callee.parameters[i], call.arguments[i]);
  const ptx::Instruction* instruction = current_;
  Frame* caller = frame_;
  calls_.push_back(&callee);
  const std::uint64_t top = local_top_;
  decode_function(frame);
  local_top_ = top;
  calls_.pop_back();
  frame_ = caller;
  current_ = instruction;
}

void Decoder::call_at_run_time(const ptx::Function* callee, const CallOperands& call) {
  CallSite site;
  const auto slots = [&](const std::vector<Operand>& operands) {
    std::vector<FrameSlot> result;
    for (const Operand& operand : operands) {
      const Symbol* symbol = operand.kind == Operand::Kind::name ? lookup(operand.name) : nullptr;
      if (symbol == nullptr || symbol->kind != Symbol::Kind::argument)
        refuse("an argument or result is in a register, but the call cannot be inlined");
      result.push_back({symbol->offset, symbol->bytes});
    }
    return result;
  };
  site.arguments = slots(call.arguments);
  site.results = slots(call.results);
  std::int32_t pointer = Operation::none;
  if (callee != nullptr) {
    site.function = static_cast<std::int32_t>(called(*callee));
    const CalledFunction& function = code_.functions[static_cast<std::size_t>(site.function)];
    if (signature(site.results, site.arguments) !=
        signature(function.results, function.parameters)) {
      malformed("passes '" + callee->name +
                "' arguments or results whose sizes differ from its parameters");
    }
  } else {
    pointer = read(*call.pointer, Width::w64);
    signatures_.insert(signature(site.results, site.arguments));
  }
  Operation& op = emit(nullptr, InstructionClass::control);
  op.control = Control::call;
  op.a = pointer;
  op.target = static_cast<std::int32_t>(code_.call_sites.size());
  code_.call_sites.push_back(std::move(site));
}

void Decoder::decode_system_call(const std::string& name, const CallOperands& call) {
  const SystemCall function = system_call(observers_, name);
  if (function.handler == nullptr) {
    throw Unsupported(place(current_->source, current_->ptx_line) +
                      ": the emulator does not have the device function '" + name +
                      "'; it has printf, assert, malloc and free, and from CUDA's device runtime "
                      "launches, copies and fills of memory");
  }
  const bool drops_result = name == "vprintf" && call.results.empty();  // ptxas accepts this
  if (call.arguments.size() != function.arguments ||
      (call.results.size() != function.results && !drops_result)) {
    malformed(other_numbers(name, call.arguments.size(), call.results.size(), function.arguments,
                            function.results));
  }
  if (gives_parameter_buffer(name) && code_.kernels.empty()) list_kernels();
  // Operands: the offsets in local memory of the arguments and of the result.
  std::vector<std::int32_t> list;
  const auto add = [&](const Operand& operand) {
    const Symbol* symbol = lookup(operand.name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::argument)
      refuse("with an argument in a register");
    list.push_back(address_constant(*symbol, 0, Width::w64));
  };
  for (const Operand& argument : call.arguments) add(argument);
  for (const Operand& result : call.results) add(result);
  Operation& op = emit(function.handler, InstructionClass::control);
  op.list = new_list(list);
  op.count = static_cast<std::uint8_t>(list.size());
}

void Decoder::list_kernels() {
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    const ptx::Function& function = module_.functions[i];
    if (!function.is_entry) continue;
    std::uint64_t bytes = 0;
    for (const ptx::Variable& parameter : function.parameters) {
      const std::uint64_t alignment = std::max<std::uint64_t>(parameter.alignment, 1);
      bytes = (bytes + alignment - 1) / alignment * alignment + parameter.bytes;
    }
    code_.kernels[function_address(i)] = {function.name, bytes};
  }
}

void Decoder::decode_stack() {
  code_.uses_stack = true;
  const bool restores = current_->opcode == "stackrestore";
  if (type() != "u64") refuse("only stack addresses of 64 bits are supported");
  const std::int32_t result = restores ? Operation::none : write(operand(0), Width::w64);
  std::int32_t a = Operation::none;
  std::uint64_t alignment = slot_alignment;
  if (restores) {
    a = read(operand(0), Width::w64);
  } else if (current_->opcode == "alloca") {
    a = read(operand(1), Width::w64);
    if (current_->operands.size() > 2) alignment = std::max(alignment, operand(2).value);
  }
  Operation& op = emit(stack_handler(current_->opcode), InstructionClass::control);
  op.dst = result;
  op.a = a;
  op.offset = static_cast<std::int64_t>(alignment);
}

std::size_t Decoder::known(const ptx::Function& function) {
  for (std::size_t i = 0; i < called_.size(); ++i) {
    if (called_[i].function == &function) return i;
  }
  CalledFunction added;
  added.name = function.name;
  const auto lay_out = [&](const std::vector<ptx::Variable>& variables) {
    std::vector<FrameSlot> slots;
    for (const ptx::Variable& variable : variables) {
      slots.push_back(
          {next_local(added.frame_bytes, variable, slot_alignment, function), variable.bytes});
      added.frame_bytes += (variable.bytes + slot_alignment - 1) / slot_alignment * slot_alignment;
    }
    return slots;
  };
  added.parameters = lay_out(function.parameters);
  added.results = lay_out(function.results);
  called_.push_back({&function, false});
  code_.functions.push_back(std::move(added));
  return called_.size() - 1;
}

std::size_t Decoder::called(const ptx::Function& function) {
  const std::size_t index = known(function);
  if (!called_[index].is_queued) queue_.push_back(index);
  called_[index].is_queued = true;
  return index;
}

/// Lists the functions whose address the module takes.
void Decoder::list_pointed_functions() {
  std::set<std::string_view> names;
  for (const ptx::Variable& variable : module_.variables) {
    for (const auto& relocation : variable.relocations) names.insert(relocation.name);
  }
  for (const ptx::Function& function : module_.functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      if (instruction.opcode != "mov" || instruction.operands.size() != 2) continue;
      names.insert(instruction.operands[1].name);
    }
  }
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    const ptx::Function& function = module_.functions[i];
    if (function.is_entry || !names.contains(function.name)) continue;
    code_.function_at[function_address(i)] = known(function);
  }
}

void Decoder::decode_called_functions() {
  for (std::size_t next = 0;;) {
    for (; next < queue_.size(); ++next) decode_called_function(queue_[next]);
    if (signatures_.empty()) return;
    if (code_.function_at.empty()) list_pointed_functions();
    // Decoded functions may also call through pointers, and so add signatures. The loop ends when
    // no further function is called.
    for (const auto& [address, index] : code_.function_at) {
      const CalledFunction& function = code_.functions[index];
      const ptx::Function& source = *called_[index].function;
      if (source.has_body && signatures_.contains(signature(function.results, function.parameters)))
        called(source);
    }
    if (next == queue_.size()) return;
  }
}

void Decoder::decode_called_function(std::size_t index) {
  const ptx::Function& function = *called_[index].function;
  Frame frame;
  frame.function = &function;
  frame.is_called = true;
  const auto bind = [&](const std::vector<ptx::Variable>& formals,
                        const std::vector<FrameSlot>& slots) {
    for (std::size_t i = 0; i < formals.size(); ++i) {
      if (formals[i].space != "param") {
        throw Unsupported(place(function.source, function.ptx_line) + ": '" + function.name +
                          "' has a parameter in a register, but a call of it cannot be inlined");
      }
      Symbol symbol;
      symbol.kind = Symbol::Kind::argument;
      symbol.offset = slots[i].offset;
      symbol.bytes = slots[i].bytes;
      symbol.in_frame = true;
      frame.symbols[formals[i].name] = symbol;
    }
  };
  bind(function.parameters, code_.functions[index].parameters);
  bind(function.results, code_.functions[index].results);
  in_frame_ = true;
  local_top_ = local_peak_ = code_.functions[index].frame_bytes;
  calls_ = {&function};
  code_.functions[index].entry = static_cast<std::int32_t>(code_.operations.size());
  decode_function(frame);
  emit_control(Control::ret);
  code_.functions[index].frame_bytes =
      (local_peak_ + slot_alignment - 1) / slot_alignment * slot_alignment;
}

}  // namespace warpwise::emulator
