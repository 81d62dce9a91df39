#include "warpwise/emulator/decode/kernel_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/decode/counted_lines.hpp"
#include "warpwise/emulator/decode/modelled.hpp"
#include "warpwise/emulator/decode/refusals.hpp"
#include "warpwise/emulator/decode/select.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {
namespace {

// Limit of a kernel's operations after inlining, and of the names in its inlined functions. Nested
// calls multiply the code, so a short text could otherwise take all memory.
constexpr std::size_t most_operations = 4'000'000;

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

const std::map<std::string_view, Special>& special_registers() {
  static const std::map<std::string_view, Special> names = {
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%cluster_ctaid.x", Special::cluster_ctaid_x},
      {"%cluster_ctaid.y", Special::cluster_ctaid_y},
      {"%cluster_ctaid.z", Special::cluster_ctaid_z},
      {"%cluster_nctaid.x", Special::cluster_nctaid_x},
      {"%cluster_nctaid.y", Special::cluster_nctaid_y},
      {"%cluster_nctaid.z", Special::cluster_nctaid_z},
      {"%clusterid.x", Special::clusterid_x},
      {"%clusterid.y", Special::clusterid_y},
      {"%clusterid.z", Special::clusterid_z},
      {"%nclusterid.x", Special::nclusterid_x},
      {"%nclusterid.y", Special::nclusterid_y},
      {"%nclusterid.z", Special::nclusterid_z},
      {"%cluster_ctarank", Special::cluster_ctarank},
      {"%cluster_nctarank", Special::cluster_nctarank},
      {"%is_explicit_cluster", Special::is_explicit_cluster},
      {"%dynamic_smem_size", Special::dynamic_smem_size},
      {"%total_smem_size", Special::total_smem_size},
      // CUDA's headers read here the address at which a cooperative launch's blocks synchronise.
      {"%envreg1", Special::grid_workspace_high},
      {"%envreg2", Special::grid_workspace_low}};
  return names;
}

}  // namespace

Width width_of_type(std::string_view type) {
  switch (type_bits(type)) {
    case 1: return Width::predicate;
    case 8:
    case 16: return Width::w16;
    case 32: return Width::w32;
    case 64: return Width::w64;
    case 128: return Width::w128;
    default: return Width::none;
  }
}

std::string KernelBuilder::place(const ptx::SourceLine& source, int ptx_line) const {
  const std::string in_ptx = "PTX line " + std::to_string(ptx_line);
  if (source.file < 0 || static_cast<std::size_t>(source.file) >= module_.files.size())
    return in_ptx;
  return module_.files[static_cast<std::size_t>(source.file)] + ":" + std::to_string(source.line) +
         " (" + in_ptx + ")";
}

void KernelBuilder::refuse(const std::string& what) const {
  const std::string reason = what.empty() ? refusal_of(*current_) : what;
  throw Unsupported(place(current_->source, current_->ptx_line) + ": the emulator does not run '" +
                    full_name(*current_) + "'" + (reason.empty() ? "" : ": " + reason));
}

void KernelBuilder::malformed(const std::string& what) const {
  throw InvalidArgument(place(current_->source, current_->ptx_line) + ": '" + full_name(*current_) +
                        "' " + what);
}

void KernelBuilder::lay_out_parameters() {
  std::uint64_t offset = 0;
  for (const ptx::Variable& parameter : kernel_.parameters) {
    if (parameter.bytes == 0) {
      throw InvalidArgument("kernel '" + readable(kernel_.name) + "': its parameter '" +
                            parameter.name + "' has no size");
    }
    offset = align_up(offset, parameter.alignment);
    code_.info.parameter_offsets.push_back(offset);
    code_.info.parameter_bytes.push_back(parameter.bytes);
    code_.info.parameter_types.push_back(parameter.is_array ? "b8" : parameter.type);
    offset += parameter.bytes;
  }
  for (const ptx::Variable& variable : module_.variables) {
    if (variable.space == "const") code_.info.constant_bytes += variable.bytes;
  }
}

std::uint64_t KernelBuilder::place_shared(const std::string& key, const ptx::Variable& variable) {
  const auto found = shared_.find(key);
  if (found != shared_.end()) return found->second;
  std::uint64_t offset = 0;
  if (variable.is_extern || variable.bytes == 0) {
    // All extern arrays begin after the static ones, whose end is not known yet.
    dynamic_alignment_ = std::max<std::uint64_t>(dynamic_alignment_, variable.alignment);
    offset = dynamic_marker;
  } else {
    offset = next_shared(variable.alignment);
    code_.static_shared = offset + variable.bytes;
    last_shared_ = variable.name;
  }
  shared_[key] = offset;
  return offset;
}

std::uint64_t KernelBuilder::next_shared(std::uint64_t alignment) {
  constexpr std::uint64_t all_banks_bytes = 128;
  const std::uint64_t end = code_.static_shared;
  const std::uint64_t added = code_.shared_gaps.empty() ? 0 : code_.shared_gaps.back().added;
  const std::uint64_t next = align_up(end - added, alignment);
  if (!separates_shared_ || end == 0) return next + added;
  const std::uint64_t all = align_up(added + all_banks_bytes, std::max(alignment, all_banks_bytes));
  code_.shared_gaps.push_back({end, next + all, all, last_shared_});
  return next + all;
}

std::uint64_t KernelBuilder::place_reserved() {
  ptx::Variable scratch;
  scratch.alignment = 16;
  scratch.bytes = 288;  // CUDA's headers keep barriers and results of warps in so many bytes
  const std::uint64_t before = code_.without_gaps(code_.static_shared);
  const std::uint64_t offset = place_shared("%reserved_smem", scratch);
  code_.reserved_shared += code_.without_gaps(code_.static_shared) - before;
  code_.reserved_shared_at = code_.static_shared - code_.reserved_shared;
  return offset;
}

std::uint64_t KernelBuilder::next_local(std::uint64_t used, const ptx::Variable& variable,
                                        std::uint64_t alignment,
                                        const ptx::Function& function) const {
  const std::uint64_t offset = align_up(used, alignment);
  if (offset > most_local_bytes || variable.bytes > most_local_bytes - offset) {
    throw InvalidArgument(place(function.source, std::max(variable.ptx_line, function.ptx_line)) +
                          ": no thread has room for '" + readable(variable.name) + "' of " +
                          std::to_string(variable.bytes) + " bytes: its local memory has " +
                          std::to_string(most_local_bytes));
  }
  return offset;
}

std::uint64_t KernelBuilder::place_local(const ptx::Variable& variable) {
  const std::uint64_t offset =
      next_local(local_top_, variable, variable.alignment, *frame_->function);
  local_top_ = offset + variable.bytes;
  local_peak_ = std::max(local_peak_, local_top_);
  return offset;
}

std::int32_t KernelBuilder::new_register(Width width) {
  widths_.push_back(width);
  return static_cast<std::int32_t>(widths_.size() - 1);
}

void KernelBuilder::declare_register(Frame& frame, const ptx::Variable& variable) {
  Symbol symbol;
  symbol.width = width_of_type(variable.type);
  const int bits = type_bits(variable.type);
  symbol.parts = std::max<std::size_t>(1, variable.bytes / std::max(1, bits / 8));
  if (symbol.width == Width::w128) {
    symbol.width = Width::w64;
    symbol.parts *= 2;
  }
  if (symbol.parts == 1) {
    symbol.reg = new_register(symbol.width);
    frame.symbols[variable.name] = symbol;
    return;
  }
  frame.has_parts = true;
  if (symbol.parts > 4) {
    throw Unsupported(place(frame.function->source, variable.ptx_line) + ": register '" +
                      variable.name + "' is a vector of " + std::to_string(symbol.parts) +
                      " elements; the emulator runs at most 4");
  }
  static constexpr const char* names[] = {".x", ".y", ".z", ".w"};
  static constexpr const char* colours[] = {".r", ".g", ".b", ".a"};
  Symbol part;
  part.width = symbol.width;
  for (std::size_t i = 0; i < symbol.parts; ++i) {
    part.reg = new_register(part.width);
    frame.symbols[variable.name + names[i]] = frame.symbols[variable.name + colours[i]] = part;
  }
  frame.symbols[variable.name] = symbol;
}

void KernelBuilder::declare(Frame& frame, const ptx::Variable& variable) {
  Symbol symbol;
  if (variable.space == "reg") {
    declare_register(frame, variable);
    return;
  } else if (variable.space == "shared") {
    symbol.kind = Symbol::Kind::shared;
    symbol.offset = place_shared(frame.function->name + "/" + variable.name, variable);
  } else if (variable.space == "local") {
    symbol.kind = Symbol::Kind::local;
    symbol.offset = place_local(variable);
    symbol.in_frame = in_frame_;
    if (frame.depth == 0 && !frame.is_called) code_.info.local_bytes += variable.bytes;
  } else if (variable.space == "param") {
    symbol.kind = Symbol::Kind::argument;
    symbol.offset = place_local(variable);
    symbol.bytes = variable.bytes;
    symbol.in_frame = in_frame_;
  } else {
    throw Unsupported(place(frame.function->source, frame.function->ptx_line) + ": variable '" +
                      variable.name + "' is in space ." + variable.space +
                      ", which the emulator does not support inside a function");
  }
  frame.symbols[variable.name] = symbol;
}

const Symbol* KernelBuilder::lookup(const std::string& name) {
  const auto found = frame_->symbols.find(name);
  if (found != frame_->symbols.end()) return &found->second;
  for (std::size_t i = 0; i < module_.variables.size(); ++i) {
    const ptx::Variable& variable = module_.variables[i];
    if (variable.name != name) continue;
    Symbol symbol;
    if (variable.space == "shared") {
      symbol.kind = Symbol::Kind::shared;
      symbol.offset = place_shared(name, variable);
    } else {
      symbol.kind = Symbol::Kind::variable;
      symbol.variable = i;
    }
    return &(frame_->symbols[name] = symbol);
  }
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    if (module_.functions[i].name != name) continue;
    Symbol symbol;
    symbol.kind = Symbol::Kind::function;
    symbol.variable = i;
    return &(frame_->symbols[name] = symbol);
  }
  if (name == "%reserved_smem_offset_1") {
    Symbol symbol;
    symbol.kind = Symbol::Kind::shared;
    symbol.offset = place_reserved();
    return &(frame_->symbols[name] = symbol);
  }
  const auto special = special_registers().find(name);
  if (special == special_registers().end()) return nullptr;
  auto& reg = specials_[name];
  const Width width =
      special->second == Special::is_explicit_cluster ? Width::predicate : Width::w32;
  if (!reg) {
    reg = new_register(width);
    code_.specials.push_back({special->second, *reg});
  }
  Symbol symbol;
  symbol.width = width;
  symbol.reg = *reg;
  return &(frame_->symbols[name] = symbol);
}

std::size_t KernelBuilder::append_constant(std::uint64_t bits, Width width) {
  const std::size_t offset = code_.constants.size();
  const std::size_t bytes = width == Width::w64 ? 8 : 4;
  const std::size_t copies = width == Width::predicate ? 1 : warp_lanes;
  code_.constants.resize(offset + align_up(bytes * copies, 64));
  for (std::size_t i = 0; i < copies; ++i)
    std::memcpy(code_.constants.data() + offset + i * bytes, &bits, bytes);
  return offset;
}

std::int32_t KernelBuilder::constant(std::uint64_t bits, Width width) {
  if (width == Width::predicate) bits = bits != 0 ? all_lanes : 0;
  if (width == Width::w16) bits &= 0xffff;
  if (width != Width::w64) bits &= 0xffffffffU;
  const auto [found, is_new] = constants_.try_emplace({bits, width}, 0);
  if (is_new) found->second = ~static_cast<std::int32_t>(append_constant(bits, width));
  return found->second;
}

std::int32_t KernelBuilder::address_constant(const Symbol& symbol, std::int64_t addend,
                                             Width width) {
  const auto added = static_cast<std::uint64_t>(addend);
  if (symbol.in_frame) {
    if (width != Width::w64) refuse("the 32-bit address of a called function's variable");
    return frame_address(symbol.offset + added);
  }
  switch (symbol.kind) {
    case Symbol::Kind::shared: {
      if (symbol.offset == dynamic_marker) {
        const std::size_t at = append_constant(added, width);
        dynamic_addresses_.emplace_back(at, width);
        return ~static_cast<std::int32_t>(at);
      }
      return constant(symbol.offset + added, width);
    }
    case Symbol::Kind::local:
    case Symbol::Kind::parameter:
    case Symbol::Kind::argument: return constant(symbol.offset + added, width);
    case Symbol::Kind::variable: {
      if (width != Width::w64)
        malformed("takes the 64-bit address of a global variable in 32 bits");
      const std::size_t at = append_constant(0, width);
      code_.relocations.push_back({at, symbol.variable, addend});
      return ~static_cast<std::int32_t>(at);
    }
    case Symbol::Kind::function:
      if (width != Width::w64) malformed("takes the 64-bit address of a function in 32 bits");
      return constant(function_address(symbol.variable) + added, width);
    case Symbol::Kind::reg: break;
  }
  malformed("takes the address of a register");
}

std::int32_t KernelBuilder::frame_register() {
  if (code_.frame_register == Operation::none) code_.frame_register = new_register(Width::w64);
  accesses_.reads.push_back(code_.frame_register);
  return code_.frame_register;
}

std::int32_t KernelBuilder::frame_address(std::uint64_t offset) {
  // Emits an addition before the operations of the current instruction. accesses_ holds the
  // registers of the current instruction, so it is set aside for the addition.
  Accesses own = std::exchange(accesses_, {});
  const std::int32_t frame = frame_register();
  const std::int32_t added = constant(offset, Width::w64);
  const std::int32_t result = new_register(Width::w64);
  accesses_.writes.push_back(result);
  Operation& op = emit(lane_operations().at("add.u64").handler, InstructionClass::integer);
  op.dst = result;
  op.a = frame;
  op.b = added;
  accesses_ = std::move(own);
  accesses_.reads.push_back(result);
  return result;
}

std::int32_t KernelBuilder::literal(const Operand& operand, Width width) {
  switch (operand.kind) {
    case Operand::Kind::integer: return constant(operand.value, width);
    case Operand::Kind::f32:
      if (width == Width::w64) {
        const auto value =
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.value)));
        return constant(std::bit_cast<std::uint64_t>(value), width);
      }
      return constant(operand.value, width);
    case Operand::Kind::f64:
      if (width == Width::w32) {
        const auto value = static_cast<float>(std::bit_cast<double>(operand.value));
        return constant(std::bit_cast<std::uint32_t>(value), width);
      }
      return constant(operand.value, width);
    default: malformed("has an operand that the emulator cannot take");
  }
}

bool KernelBuilder::fits(Width have, Width want, bool loose) {
  if (have == want) return true;
  return loose && (have == Width::w16 || have == Width::w32) &&
         (want == Width::w16 || want == Width::w32);
}

std::int32_t KernelBuilder::read(const Operand& operand, Width width, bool loose) {
  if (operand.kind != Operand::Kind::name) return literal(operand, width);
  const Symbol* symbol = lookup(operand.name);
  if (symbol == nullptr) malformed("uses '" + operand.name + "', which is not declared");
  if (symbol->kind != Symbol::Kind::reg) return address_constant(*symbol, operand.offset, width);
  if (!fits(symbol->width, width, loose))
    malformed("uses register '" + operand.name + "' of another width");
  accesses_.reads.push_back(symbol->reg);
  return symbol->reg;
}

std::int32_t KernelBuilder::write(const Operand& operand, Width width, bool loose) {
  if (operand.kind == Operand::Kind::sink) {
    const std::int32_t reg = new_register(width);
    accesses_.writes.push_back(reg);
    return reg;
  }
  const Symbol* symbol = operand.kind == Operand::Kind::name ? lookup(operand.name) : nullptr;
  if (symbol == nullptr || symbol->kind != Symbol::Kind::reg)
    malformed("writes to an operand that is no register");
  if (!fits(symbol->width, width, loose))
    malformed("writes register '" + operand.name + "' of another width");
  accesses_.writes.push_back(symbol->reg);
  return symbol->reg;
}

Width KernelBuilder::register_width(const Operand& operand) {
  const Symbol* symbol = operand.kind == Operand::Kind::name ? lookup(operand.name) : nullptr;
  return symbol != nullptr && symbol->kind == Symbol::Kind::reg ? symbol->width : Width::none;
}

Operation& KernelBuilder::emit(Handler run, InstructionClass c) {
  if (code_.operations.size() >= most_operations) {
    refuse("the kernel has more than " + std::to_string(most_operations) +
           " instructions with its calls inlined");
  }
  Operation op;
  op.run = run;
  op.index = static_cast<std::uint32_t>(code_.operations.size());
  if (current_ != nullptr && !current_->guard.empty()) {
    const Symbol* guard = lookup(current_->guard);
    if (guard == nullptr || guard->width != Width::predicate)
      malformed("is guarded by an operand that is no predicate");
    op.guard = guard->reg;
    op.guard_negated = current_->guard_negated;
    accesses_.reads.push_back(guard->reg);
  }
  code_.operations.push_back(op);
  code_.lines.push_back(current_ != nullptr ? current_->source : ptx::SourceLine{});
  code_.ptx_lines.push_back(current_ != nullptr ? current_->ptx_line : 0);
  code_.names.push_back(current_ != nullptr ? full_name(*current_) : "exit");
  code_.classes.push_back(c);
  operation_accesses_.push_back(std::move(accesses_));
  accesses_ = {};
  return code_.operations.back();
}

void KernelBuilder::count_inlined(const ptx::Function& function) {
  // Inlining a call takes about as long as declaring this many names.
  constexpr std::size_t names_of_a_call = 4;
  inlined_ += names_of_a_call + function.variables.size() + function.labels.size();
  if (inlined_ > most_operations) {
    refuse("the kernel has more than " + std::to_string(most_operations) +
           " names with its calls inlined");
  }
}

std::int32_t KernelBuilder::new_site(InstructionClass kind, bool compiler_local) {
  code_.sites.push_back({code_.operations.back().index, kind, compiler_local});
  return static_cast<std::int32_t>(code_.sites.size() - 1);
}

std::int32_t KernelBuilder::new_list(const std::vector<std::int32_t>& entries) {
  const auto at = static_cast<std::int32_t>(code_.lists.size());
  code_.lists.insert(code_.lists.end(), entries.begin(), entries.end());
  return at;
}

bool KernelBuilder::has(std::string_view modifier) const {
  const auto& all = current_->modifiers;
  return std::find(all.begin(), all.end(), modifier) != all.end();
}

const Operand& KernelBuilder::operand(std::size_t i) const {
  if (i >= current_->operands.size()) malformed("has too few operands");
  return current_->operands[i];
}

std::string KernelBuilder::type() const {
  std::string found;
  for (const std::string& modifier : current_->modifiers) {
    if (is_type(modifier)) found = modifier;
  }
  if (found.empty()) malformed("has no type");
  return found;
}

void KernelBuilder::finish(ObserverSet observers) {
  code_.files = module_.files;
  code_.callers = module_.callers;
  code_.functions_inlined = module_.inlined_functions;
  code_.counted_lines = counted_lines(code_);
  code_.info.static_shared_bytes = code_.without_gaps(code_.static_shared) - code_.reserved_shared;
  code_.dynamic_shared_at = dynamic_addresses_.empty()
                                ? code_.static_shared
                                : next_shared(std::max<std::uint64_t>(dynamic_alignment_, 16));
  for (const auto& [at, width] : dynamic_addresses_) {
    const std::size_t bytes = width == Width::w64 ? 8 : 4;
    std::uint64_t value = 0;
    std::memcpy(&value, code_.constants.data() + at, bytes);
    value += code_.dynamic_shared_at;
    for (std::size_t i = 0; i < warp_lanes; ++i)
      std::memcpy(code_.constants.data() + at + i * bytes, &value, bytes);
  }
  code_.local_bytes = align_up(code_.local_bytes, 16);
  if (!code_.call_sites.empty()) code_.uses_stack = true;
  mark_modelled(code_, operation_accesses_, observers);
  allocate_registers(code_, operation_accesses_, widths_);
  code_.accesses = std::move(operation_accesses_);
  code_.virtual_registers = widths_.size();
}

}  // namespace warpwise::emulator
