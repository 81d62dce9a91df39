#include "warpwise/lab/explain/kernel/address_form.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "warpwise/emulator/readable.hpp"
#include "warpwise/lab/explain/kernel/kernel_flow.hpp"

namespace warpwise::lab {
namespace {

using ptx::Instruction;
using PtxOperand = ptx::Operand;
using Kind = AddressForm::Kind;

constexpr std::int64_t lanes = 32;

// A register's value in a thread.
struct Value : AddressForm {
  std::optional<std::int64_t> constant;
  std::optional<std::size_t> loaded_parameter;  // index of the parameter if the value is an
                                                // unchanged parameter
};

Value uniform() {
  Value value;
  value.kind = Kind::affine;
  return value;
}

Value constant(std::int64_t number) {
  Value value = uniform();
  value.constant = number;
  return value;
}

bool depends_on_thread(const Value& value) {
  return value.kind > Kind::affine ||
         std::any_of(value.steps.begin(), value.steps.begin() + block_x,
                     [](const Step& step) { return !step.is_none(); });
}

Value value_of_kind(Kind kind) {
  Value value;
  value.kind = kind;
  return value;
}

// Returns a value of this kind, computed from two values. It has their sources, but no steps.
Value value_with_sources(Kind kind, const Value& a, const Value& b) {
  Value value = value_of_kind(kind);
  value.sources = a.sources;
  value.sources.insert(b.sources.begin(), b.sources.end());
  return value;
}

// Returns the result of an operation that keeps no steps, such as a comparison or a remainder. The
// kind is at least `computed` if an operand depends on threadIdx.
Value mixed(std::span<const Value> operands) {
  Value result = uniform();
  for (const Value& each : operands) {
    if (each.kind == Kind::unknown) return {};
    result.sources.insert(each.sources.begin(), each.sources.end());
    if (depends_on_thread(each)) result.kind = std::max({result.kind, each.kind, Kind::computed});
    for (std::size_t i = block_x; i < address_indices; ++i)
      result.steps[i].by_variable |= !each.steps[i].is_none();
  }
  return result;
}

Step sum(const Step& a, const Step& b, std::int64_t sign) {
  if (a.by_variable || b.by_variable) return {0, true};
  return {a.bytes + sign * b.bytes, false};
}

Value sum(const Value& a, const Value& b, std::int64_t sign = 1) {
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {};
  Value result = value_with_sources(std::max(a.kind, b.kind), a, b);
  for (std::size_t i = 0; i < address_indices; ++i)
    result.steps[i] = sum(a.steps[i], b.steps[i], sign);
  if (a.constant && b.constant) result.constant = *a.constant + sign * *b.constant;
  result.parameter = a.parameter ? a.parameter : b.parameter;
  result.variable = a.variable.empty() ? b.variable : a.variable;
  result.advances_in_loop = a.advances_in_loop || b.advances_in_loop;
  return result;
}

// Longest step in bytes that is taken for the length of a row or a structure.
constexpr std::int64_t longest_step = std::int64_t{1} << 26;

std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

Value product(const Value& a, const Value& b) {
  if (!a.constant && b.constant) return product(b, a);
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {};
  if (depends_on_thread(a) && depends_on_thread(b))
    return value_with_sources(std::max({a.kind, b.kind, Kind::computed}), a, b);
  Value result = value_with_sources(std::max(a.kind, b.kind), a, b);
  result.advances_in_loop = a.advances_in_loop || b.advances_in_loop;
  for (std::size_t i = 0; i < address_indices; ++i) {
    const bool has_step = !a.steps[i].is_none() || !b.steps[i].is_none();
    if (!has_step) continue;
    const Step& own = b.steps[i];
    result.steps[i] = a.constant && !own.by_variable
                          ? Step{wrapping_product(*a.constant, own.bytes), false}
                          : Step{0, a.constant != 0};
    // A product with a longer step is part of a hash: it overflows 32 bits within a warp.
    if (std::abs(result.steps[i].bytes) > longest_step)
      return value_with_sources(std::max(result.kind, Kind::computed), a, b);
  }
  if (a.constant && b.constant) result.constant = wrapping_product(*a.constant, *b.constant);
  return result;
}

// Returns a value that may be either of two values, as after min or where two control paths join.
Value either(const Value& a, const Value& b) {
  if (a.kind == Kind::unknown) return b;
  if (b.kind == Kind::unknown) return a;
  Value result = value_with_sources(std::max(a.kind, b.kind), a, b);
  result.parameter = a.parameter ? a.parameter : b.parameter;
  result.variable = a.variable.empty() ? b.variable : a.variable;
  result.advances_in_loop = a.advances_in_loop || b.advances_in_loop;
  for (std::size_t i = 0; i < address_indices; ++i) {
    const Step& own = a.steps[i];
    const Step& other = b.steps[i];
    if (own == other || other.is_none()) {
      result.steps[i] = own;
    } else if (own.is_none()) {
      result.steps[i] = other;
    } else {
      result.steps[i].by_variable = true;
      if (i < block_x) result.kind = std::max(result.kind, Kind::computed);
    }
  }
  return result;
}

// Returns value & mask. The steps stay if the mask is 2^k - 1, at least 31, and the values in a
// warp span no more than the mask.
Value masked(const Value& value, const Value& mask) {
  const bool is_low =
      mask.constant && *mask.constant >= lanes - 1 && (*mask.constant & (*mask.constant + 1)) == 0;
  const Step& step = value.steps[thread_x];
  const bool wraps =
      is_low && !step.by_variable && std::abs(step.bytes) * (lanes - 1) > *mask.constant;
  return is_low && !wraps && value.kind == Kind::affine ? either(value, value)
                                                        : mixed(std::array{value, mask});
}

// Returns value >> bits. If neighbouring lanes differ by one, a shift by 5 or more gives all lanes
// of a warp the same result.
Value shifted_right(const Value& value, const Value& bits) {
  constexpr std::int64_t of_a_warp = 5;
  const bool is_warp = bits.constant && *bits.constant >= of_a_warp && value.kind == Kind::affine &&
                       value.steps[thread_x] == Step{1, false};
  if (!is_warp) return mixed(std::array{value, bits});
  Value rest = value;
  rest.steps[thread_x] = {};
  return mixed(std::array{rest, bits});
}

bool has(const Instruction& instruction, std::string_view modifier) {
  return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

// Finds the values of one kernel's registers as functions of the thread's indices.
class Registers {
 public:
  explicit Registers(const ptx::Function& kernel) : kernel_(kernel) {
    for (const Instruction& each : kernel.instructions)
      for_results(each, [&](const std::string& name) { ++definitions_[name]; });
    follow();
  }

  Value address_of(const Instruction& instruction) const {
    const auto found =
        std::ranges::find(instruction.operands, PtxOperand::Kind::address, &PtxOperand::kind);
    if (found == instruction.operands.end() || found->elements.empty()) return {};
    return value_of(found->elements.front());
  }

 private:
  template <class Action>
  static void for_results(const Instruction& instruction, const Action& action) {
    if (instruction.operands.empty()) return;
    const PtxOperand& first = instruction.operands.front();
    if (first.kind == PtxOperand::Kind::name) action(first.name);
    for (const PtxOperand& each : first.elements)
      if (first.kind != PtxOperand::Kind::address && each.kind == PtxOperand::Kind::name)
        action(each.name);
  }

  // Repeats until nothing changes, at most 16 times: a loop's registers depend on themselves.
  void follow() {
    constexpr int most_sweeps = 16;
    bool changed = true;
    for (int sweep = 0; sweep < most_sweeps && changed; ++sweep) {
      changed = false;
      for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
        const Value result = result_of(kernel_.instructions[i]);
        for_results(kernel_.instructions[i],
                    [&](const std::string& name) { changed = define(name, i, result) || changed; });
      }
    }
  }

  // Records a register's value after an instruction. Returns true if the recorded value changes.
  bool define(const std::string& name, std::size_t instruction, const Value& value) {
    Value now = value;
    if (definitions_[name] > 1) {
      std::map<std::size_t, Value>& all = defined_[name];
      all[instruction] = value;
      now = {};
      for (const auto& [place, each] : all) now = either(now, each);
      now.constant.reset();  // a loop's counter is constant only before the loop
      now.advances_in_loop =
          now.advances_in_loop || is_moved_on(kernel_.instructions[instruction], name);
      advances_in_loop_[name] = advances_in_loop_[name] || now.advances_in_loop;
      now.advances_in_loop = advances_in_loop_[name];
    }
    Value& known = values_[name];
    const bool same = known.kind == now.kind && known.steps == now.steps &&
                      known.constant == now.constant && known.parameter == now.parameter &&
                      known.advances_in_loop == now.advances_in_loop &&
                      known.sources == now.sources && known.variable == now.variable;
    known = now;
    return !same;
  }

  // Returns true if an instruction advances a register by a constant, as a loop does:
  // "add a, a, 4", or "mov a, b" if the kernel has "add b, a, 4".
  bool is_moved_on(const Instruction& instruction, const std::string& name) const {
    const auto adds = [&](const Instruction& each) {
      return (each.opcode == "add" || each.opcode == "sub") && each.operands.size() == 3 &&
             each.operands[1].name == name && each.operands[2].kind == PtxOperand::Kind::integer;
    };
    if (instruction.opcode != "mov" || instruction.operands.size() != 2) return adds(instruction);
    return std::ranges::any_of(kernel_.instructions, [&](const Instruction& each) {
      return adds(each) && each.operands[0].name == instruction.operands[1].name;
    });
  }

  Value value_of(const PtxOperand& operand) const {
    if (operand.kind == PtxOperand::Kind::integer)
      return constant(static_cast<std::int64_t>(operand.value));
    if (operand.kind != PtxOperand::Kind::name) return uniform();
    static const std::map<std::string, AddressIndex, std::less<>> indices = {
        {"%tid.x", thread_x},  {"%tid.y", thread_y},  {"%tid.z", thread_z}, {"%ctaid.x", block_x},
        {"%ctaid.y", block_y}, {"%ctaid.z", block_z}, {"%laneid", thread_x}};
    if (const auto index = indices.find(operand.name); index != indices.end()) {
      Value value = uniform();
      value.steps[index->second] = {1, false};
      return value;
    }
    const auto found = values_.find(operand.name);
    if (found != values_.end()) return found->second;
    if (definitions_.contains(operand.name)) return {};
    Value value = uniform();
    if (!operand.name.starts_with('%')) value.variable = operand.name;
    return value;
  }

  Value loaded(const Instruction& instruction) const {
    if (has(instruction, "param")) {
      Value value = uniform();
      const PtxOperand& address = instruction.operands[1];
      if (address.elements.empty() || address.elements[0].offset != 0 || address.offset != 0)
        return value;
      const auto found =
          std::ranges::find(kernel_.parameters, address.elements[0].name, &ptx::Variable::name);
      if (found != kernel_.parameters.end())
        value.loaded_parameter = static_cast<std::size_t>(found - kernel_.parameters.begin());
      return value;
    }
    const Value address = address_of(instruction);
    if (address.kind == Kind::unknown) return {};
    Value value =
        depends_on_thread(address) ? value_of_kind(Kind::loaded) : mixed(std::array{address});
    value.sources.clear();
    if (address.parameter) value.sources.insert(*address.parameter);
    return value;
  }

  Value result_of(const Instruction& instruction) const {
    const std::string& name = instruction.opcode;
    if (name == "ld" || name == "ldu") return loaded(instruction);
    if (name == "atom" || name == "tex") return value_of_kind(Kind::loaded);
    std::vector<Value> operands;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i)
      operands.push_back(value_of(instruction.operands[i]));
    if (operands.size() == 1) return copied(instruction, operands[0]);
    if (name == "mad" && operands.size() == 3 && !has(instruction, "hi"))
      return sum(product(operands[0], operands[1]), operands[2]);
    if (name == "selp") return either(operands[0], operands[1]);
    if (operands.size() == 2) return of_two(instruction, operands[0], operands[1]);
    return mixed(operands);
  }

  static Value copied(const Instruction& instruction, const Value& from) {
    const std::string& name = instruction.opcode;
    if (name == "neg") return sum(constant(0), from, -1);
    if (name != "mov" && name != "cvt" && name != "cvta") return mixed(std::array{from});
    Value value = from;
    if (name == "cvta") value.parameter = from.loaded_parameter;
    return value;
  }

  static Value of_two(const Instruction& instruction, const Value& a, const Value& b) {
    const std::string& name = instruction.opcode;
    if (name == "add") return sum(a, b);
    if (name == "sub") return sum(a, b, -1);
    if (name == "mul" && !has(instruction, "hi")) return product(a, b);
    constexpr std::int64_t most_bits = 62;
    if (name == "shl" && b.constant && *b.constant >= 0 && *b.constant <= most_bits)
      return product(a, constant(std::int64_t{1} << *b.constant));
    if (name == "min" || name == "max") return either(a, b);
    if (name == "or" && b.constant) return a;
    if (name == "and") return masked(a, b);
    if (name == "shr") return shifted_right(a, b);
    return mixed(std::array{a, b});
  }

  const ptx::Function& kernel_;
  std::map<std::string, int> definitions_;
  // Values of the registers that several instructions write: by register, then by instruction.
  std::map<std::string, std::map<std::size_t, Value>> defined_;
  std::map<std::string, Value> values_;
  // By register: true if a loop advances the register by a constant.
  std::map<std::string, bool> advances_in_loop_;
};

// Returns the bytes of one element of an access: 4 for "f32".
std::int64_t element_bytes(const std::string& type) {
  const std::string digits = type.substr(std::min<std::size_t>(1, type.size()));
  return digits == "8" ? 1 : digits == "16" ? 2 : digits == "64" ? 8 : digits == "128" ? 16 : 4;
}

std::int64_t bytes_of(const Instruction& access) {
  return element_bytes(access.modifiers.back()) * (has(access, "v4")   ? 4
                                                   : has(access, "v2") ? 2
                                                                       : 1);
}

// Returns "tile" for "_ZZ1kPfE4tile".
std::string name_in_source(const std::string& variable) {
  const std::string name = emulator::readable(variable);
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// Calls body(module, registers, instruction) for each instruction of a kernel.
template <class Body>
void for_each_instruction(const std::string& ptx, const std::string& kernel, const Body& body) {
  const ptx::Module module = ptx::parse(ptx);
  const ptx::Function* const found = function_named(module, kernel);
  if (found == nullptr) return;
  const Registers registers(*found);
  for (const Instruction& each : found->instructions) body(module, registers, each);
}

}  // namespace

std::set<std::size_t> index_sources(const std::string& ptx, const std::string& kernel) {
  std::set<std::size_t> sources;
  std::set<std::size_t> beginnings;
  for_each_instruction(ptx, kernel, [&](const auto&, const auto& registers, const auto& each) {
    if (!has(each, "global")) return;
    const Value address = registers.address_of(each);
    std::set<std::size_t>& all = address.advances_in_loop ? beginnings : sources;
    all.insert(address.sources.begin(), address.sources.end());
  });
  for (const std::size_t each : beginnings) sources.erase(each);
  return sources;
}

std::set<std::size_t> written_parameters(const std::string& ptx, const std::string& kernel) {
  std::set<std::size_t> written;
  for_each_instruction(ptx, kernel, [&](const auto&, const auto& registers, const auto& each) {
    const bool writes = each.opcode == "st" || each.opcode == "atom" || each.opcode == "red";
    if (!writes || has(each, "param") || has(each, "shared") || has(each, "local")) return;
    if (const auto parameter = registers.address_of(each).parameter) written.insert(*parameter);
  });
  return written;
}

std::vector<SharedAccess> shared_accesses(const std::string& ptx, const std::string& kernel) {
  std::vector<SharedAccess> accesses;
  for_each_instruction(
      ptx, kernel, [&](const auto& module, const auto& registers, const auto& each) {
        const bool is_store = each.opcode == "st";
        if ((!is_store && each.opcode != "ld") || !has(each, "shared")) return;
        SharedAccess& access = accesses.emplace_back();
        access.file = file_of(module, each.source);
        access.line = each.source.line;
        access.is_store = is_store;
        access.bytes = bytes_of(each);
        access.address = registers.address_of(each);
        access.variable = name_in_source(access.address.variable);
        const auto at =
            std::ranges::find(each.operands, PtxOperand::Kind::address, &PtxOperand::kind);
        if (at != each.operands.end() && !at->elements.empty())
          access.base = at->elements.front().name;
      });
  return accesses;
}

std::vector<GlobalAccess> global_accesses(const std::string& ptx, const std::string& kernel) {
  std::vector<GlobalAccess> accesses;
  for_each_instruction(
      ptx, kernel, [&](const auto& module, const auto& registers, const auto& each) {
        const bool is_load = each.opcode == "ld" || each.opcode == "ldu";
        if ((!is_load && each.opcode != "st") || !has(each, "global") || each.modifiers.empty())
          return;
        GlobalAccess& access = accesses.emplace_back();
        access.file = file_of(module, each.source);
        access.line = each.source.line;
        access.is_store = !is_load;
        access.is_float = each.modifiers.back().front() == 'f';
        access.bytes = bytes_of(each);
        const auto at =
            std::ranges::find(each.operands, PtxOperand::Kind::address, &PtxOperand::kind);
        if (at != each.operands.end() && !at->elements.empty())
          access.offset = at->offset + at->elements.front().offset;
        access.address = registers.address_of(each);
      });
  return accesses;
}

}  // namespace warpwise::lab
