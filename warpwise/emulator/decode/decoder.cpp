// PTX's syntax tree into operations: names become registers, constants and addresses, calls are
// inlined, instructions get their handlers. What the emulator does not run is refused here, before
// anything runs.

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/decode/kernel_builder.hpp"
#include "warpwise/emulator/decode/select.hpp"
#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/instructions/numbers.hpp"
#include "warpwise/emulator/instructions/system_calls.hpp"

namespace warpwise::emulator {
namespace {

constexpr int deepest_call = 64;

class Decoder : KernelBuilder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& kernel) : KernelBuilder(module, kernel) {}

  Code decode() {
    code_.info.name = kernel_.name;
    for (const int n : kernel_.required_threads) code_.info.required_threads.push_back(n);
    lay_out_parameters();
    Frame frame;
    frame.function = &kernel_;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::parameter;
      symbol.offset = code_.info.parameter_offsets[i];
      frame.symbols[kernel_.parameters[i].name] = symbol;
    }
    decode_function(frame, {});
    emit_control(Control::exit);
    finish();
    return std::move(code_);
  }

 private:
  struct Address {
    std::int32_t base = 0;
    std::int64_t offset = 0;
    Space space = Space::generic;
    bool is_32_bits = false;
    bool compiler_local = false;
    std::optional<std::uint64_t> parameter;  ///< where among the kernel's parameters, if known here
  };

  bool is_inside_parameters(std::uint64_t offset, int bytes, std::size_t elements) const {
    const auto& info = code_.info;
    const std::uint64_t end = info.parameter_offsets.back() + info.parameter_bytes.back();
    const std::uint64_t wanted = static_cast<std::uint64_t>(bytes) * elements;
    return offset <= end && wanted <= end - offset && offset % wanted == 0;
  }

  /// The place that `[...]` names, in the state space that the instruction states.
  Address address(const Operand& operand, Space space) {
    if (operand.kind != Operand::Kind::address || operand.elements.empty())
      malformed("has no address operand");
    const Operand& base = operand.elements[0];
    Address result;
    result.space = space;
    result.offset = operand.offset + base.offset;
    if (base.kind == Operand::Kind::integer) {
      result.base = constant(base.value, Width::w64);
      return result;
    }
    const Symbol* symbol = base.kind == Operand::Kind::name ? lookup(base.name) : nullptr;
    if (symbol == nullptr) malformed("has an address that the emulator cannot take");
    if (symbol->kind == Symbol::Kind::reg) {
      if (symbol->width != Width::w64 && symbol->width != Width::w32)
        malformed("has an address of another width");
      result.is_32_bits = symbol->width == Width::w32;
      result.base = symbol->reg;
      accesses_.reads.push_back(symbol->reg);
      return result;
    }
    const auto added = static_cast<std::uint64_t>(result.offset);
    result.base = address_constant(*symbol, result.offset, Width::w64);
    result.offset = 0;
    switch (symbol->kind) {
      case Symbol::Kind::shared: result.space = Space::shared; break;
      case Symbol::Kind::local: result.space = Space::local; break;
      case Symbol::Kind::parameter:
        result.space = Space::parameter;
        result.parameter = symbol->offset + added;
        break;
      case Symbol::Kind::argument:
        result.space = Space::local;
        result.compiler_local = true;
        break;
      default:
        if (space == Space::generic) result.space = Space::global;
    }
    return result;
  }

  std::optional<Space> stated_space() const {
    std::optional<Space> space;
    for (const std::string& modifier : current_->modifiers) {
      if (modifier == "global")
        space = Space::global;
      else if (modifier == "const")
        space = Space::constant;
      else if (modifier == "shared" || modifier == "shared::cta")
        space = Space::shared;
      else if (modifier == "local")
        space = Space::local;
      else if (modifier == "param" || modifier == "param::entry" || modifier == "param::func")
        space = Space::parameter;
      else if (modifier == "shared::cluster")
        refuse("clusters are not run");
    }
    return space;
  }

  void set_address(Operation& op, const Address& at) {
    op.a = at.base;
    op.offset = at.offset;
    op.variant |= static_cast<std::uint32_t>(at.space) << space_shift;
    if (at.is_32_bits) op.variant |= address_is_32_bits;
    op.site = new_site(at.compiler_local);
  }

  bool may_be_polled() const {
    return has("volatile") || has("relaxed") || has("acquire") || has("mmio");
  }

  void decode_access(bool is_load) {
    const std::string element = type();
    const std::size_t value_at = is_load ? 0 : 1;
    const Address at = address(operand(is_load ? 1 : 0), stated_space().value_or(Space::generic));
    const Operand& value = operand(value_at);
    std::vector<const Operand*> elements;
    if (value.kind == Operand::Kind::vector) {
      for (const Operand& e : value.elements) elements.push_back(&e);
    } else {
      elements.push_back(&value);
    }
    const int bytes = type_bits(element) / 8;
    if (elements.size() > 4 || bytes * static_cast<int>(elements.size()) > 16)
      refuse("vectors of at most 16 bytes are run");
    Width width = Width::none;
    for (const Operand* e : elements) {
      const Width own = register_width(*e);
      if (own != Width::none) width = own;
    }
    if (width == Width::none) width = std::max(width_of_type(element), Width::w16);
    const bool is_parameter =
        is_load && at.parameter && is_inside_parameters(*at.parameter, bytes, elements.size());
    const Space space = is_parameter ? Space::parameter : Space::generic;
    const Handler handler =
        is_load ? load_handler(element, width, space) : store_handler(element, width);
    if (handler == nullptr) malformed("has registers that do not fit its type");
    std::vector<std::int32_t> list;
    for (const Operand* e : elements) list.push_back(is_load ? write(*e, width) : read(*e, width));
    Operation& op = emit(handler, is_load ? InstructionClass::load : InstructionClass::store);
    if (at.compiler_local || at.space == Space::parameter)
      code_.classes.back() = InstructionClass::move;
    op.list = new_list(list);
    op.count = static_cast<std::uint8_t>(elements.size());
    op.bytes = static_cast<std::uint8_t>(bytes);
    op.polls = is_load && may_be_polled();
    set_address(op, at);
    if (is_parameter) op.offset = static_cast<std::int64_t>(*at.parameter);
  }

  void decode_atomic(bool has_result) {
    std::string key;
    for (const char* operation :
         {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}) {
      if (has(operation)) key = operation;
    }
    if (key.empty()) refuse("");
    if (has("noftz")) key += ".noftz";
    key += "." + type();
    const auto found = atomic_operations().find(key);
    if (found == atomic_operations().end()) refuse("");
    const auto& widths = found->second.widths;
    const std::size_t first = has_result ? 1 : 0;
    std::int32_t result = Operation::none;
    if (has_result && operand(0).kind != Operand::Kind::sink) result = write(operand(0), widths[0]);
    const Address at = address(operand(first), stated_space().value_or(Space::generic));
    const std::int32_t b = read(operand(first + 1), widths[3]);
    const std::int32_t c =
        current_->operands.size() > first + 2 ? read(operand(first + 2), widths[4]) : b;
    Operation& op = emit(found->second.handler, InstructionClass::atomic);
    op.dst = result;
    op.b = b;
    op.c = c;
    op.bytes = static_cast<std::uint8_t>(type_bits(type()) / 8);
    op.polls = true;
    set_address(op, at);
  }

  void decode_copy_async() {
    if (!has("async") || has("bulk") || has("mbarrier")) refuse("");
    if (has("commit_group") || has("wait_group") || has("wait_all")) {
      emit_nothing(InstructionClass::control);
      return;
    }
    if (!has("ca") && !has("cg")) refuse("");
    const Address to = address(operand(0), Space::shared);
    const Address from = address(operand(1), Space::global);
    if (from.is_32_bits) malformed("has a 32-bit global address");
    const Operand& size = operand(2);
    if (size.kind != Operand::Kind::integer ||
        (size.value != 4 && size.value != 8 && size.value != 16)) {
      malformed("copies 4, 8 or 16 bytes");
    }
    std::int32_t read_bytes = constant(size.value, Width::w32);
    if (current_->operands.size() > 3) {
      if (register_width(operand(3)) == Width::predicate)
        refuse("with a predicate that ignores the source");
      read_bytes = read(operand(3), Width::w32);
    }
    const std::int32_t added = constant(static_cast<std::uint64_t>(from.offset), Width::w64);
    Operation& op = emit(copy_async, InstructionClass::load);
    op.bytes = static_cast<std::uint8_t>(size.value);
    op.list = new_list({from.base, added, read_bytes});
    set_address(op, to);
    new_site();  // of the load, behind that of the store
  }

  void emit_nothing(InstructionClass c) { emit(warp_operations().at("nothing").handler, c); }

  void decode_barrier() {
    if (has("cluster")) refuse("clusters are not run");
    if (has("warp")) {
      const std::int32_t members = read(operand(0), Width::w32);
      Operation& op = emit(warp_operations().at("nothing").handler, InstructionClass::barrier);
      op.control = Control::converge;
      op.members = members;
      return;
    }
    BarrierKind kind = BarrierKind::sync;
    if (has("arrive"))
      kind = BarrierKind::arrive;
    else if (has("popc"))
      kind = BarrierKind::reduce_popc;
    else if (has("and"))
      kind = BarrierKind::reduce_and;
    else if (has("or"))
      kind = BarrierKind::reduce_or;
    std::size_t next = 0;
    std::int32_t result = Operation::none;
    const bool reduces = has("red");
    if (reduces) {
      result =
          write(operand(next++), kind == BarrierKind::reduce_popc ? Width::w32 : Width::predicate);
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
    op.offset = negated ? 1 : 0;
    op.variant = static_cast<std::uint32_t>(kind);
  }

  void decode_branch() {
    const Operand& target = operand(0);
    if (target.kind != Operand::Kind::name) malformed("has no label");
    Operation& op = emit(nullptr, InstructionClass::control);
    op.control = Control::branch;
    frame_->branches.emplace_back(op.index, target.name);
  }

  void decode_indexed_branch() {
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
    frame_->tables.emplace_back(op.index, found->targets);
  }

  void decode_return(bool inlined, std::size_t remaining) {
    if (!inlined) {
      emit_control(Control::exit);
      return;
    }
    if (remaining == 0 && current_->guard.empty()) return;  // falls out of the inlined body
    Operation& op = emit(nullptr, InstructionClass::control);
    op.control = Control::branch;
    frame_->branches.emplace_back(op.index, end_label);
  }

  const ptx::Function* find_function(const std::string& name) const {
    for (const ptx::Function& function : module_.functions) {
      if (function.name == name) return &function;
    }
    return nullptr;
  }

  void decode_call() {
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
    decode_function(frame, call->source);
    local_top_ = top;
    calls_.pop_back();
    frame_ = caller;
    current_ = call;
  }

  void decode_system_call(const std::string& name, const std::vector<Operand>& results,
                          const std::vector<Operand>& arguments) {
    const Handler handler = system_call(name);
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

  void decode_move() {
    const Operand& to = operand(0);
    const Operand& from = operand(1);
    if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) {
      decode_pack(to, from);
      return;
    }
    if (from.kind == Operand::Kind::name) {
      static const std::map<std::string_view, std::string_view> clocks = {
          {"%clock", "clock"},
          {"%clock_hi", "zero"},
          {"%clock64", "clock64"},
          {"%globaltimer", "globaltimer"}};
      const auto clock = clocks.find(from.name);
      if (clock != clocks.end() && clock->second != "zero") {
        const Entry& entry = warp_operations().find(clock->second)->second;
        const std::int32_t result = write(to, entry.widths[0]);
        emit(entry.handler, InstructionClass::special).dst = result;
        return;
      }
      if (lookup(from.name) == nullptr) {
        if (find_function(from.name) != nullptr) refuse("the address of a function");
        if (!from.name.empty() && from.name[0] == '%') refuse("special register " + from.name);
      }
    }
    decode_selected();
  }

  void decode_pack(const Operand& to, const Operand& from) {
    const bool packs = from.kind == Operand::Kind::vector;
    const Operand& parts = packs ? from : to;
    const int bits = type_bits(type()) / static_cast<int>(parts.elements.size());
    const std::string key = std::string(packs ? "pack." : "unpack.") + std::to_string(bits) + "x" +
                            std::to_string(parts.elements.size());
    const auto found = lane_operations().find(key);
    if (found == lane_operations().end()) refuse("");
    const Width part = bits == 32 ? Width::w32 : Width::w16;
    std::vector<std::int32_t> list;
    std::int32_t whole = Operation::none;
    if (packs) {
      for (const Operand& e : parts.elements) list.push_back(read(e, part));
      whole = write(to, width_of_type(type()));
    } else {
      whole = read(from, width_of_type(type()));
      for (const Operand& e : parts.elements) {
        list.push_back(e.kind == Operand::Kind::sink ? Operation::none : write(e, part));
      }
    }
    Operation& op = emit(found->second.handler, InstructionClass::move);
    (packs ? op.dst : op.a) = whole;
    op.list = new_list(list);
  }

  /// Instructions that compute from registers alone.
  void decode_selected() {
    std::optional<Selection> selection = select(*current_);
    if (selection && current_->opcode == "cvt" && selection->entry.widths[2] != Width::w64 &&
        register_width(operand(1)) == Width::w64) {
      selection = select_from_lower_bits(*current_);
    }
    if (!selection) refuse("");
    const auto& widths = selection->entry.widths;
    std::int32_t fields[6] = {Operation::none, Operation::none, Operation::none,
                              Operation::none, Operation::none, Operation::none};
    std::uint32_t variant = selection->variant;
    std::size_t next = 0;
    // Results: one, or a pair `a|b`.
    if (widths[0] != Width::none) {
      const Operand& result = operand(next++);
      if (result.kind == Operand::Kind::pair) {
        if (widths[1] == Width::none || result.elements.size() != 2)
          malformed("has too many results");
        if (result.elements[0].kind == Operand::Kind::sink) variant |= 16;
        fields[0] = write(result.elements[0], widths[0]);
        fields[1] = write(result.elements[1], widths[1]);
        variant |= 8;
      } else {
        fields[0] = write(result, widths[0], selection->loose_result);
        if (current_->opcode == "cvt" && is_integer_conversion()) {
          // What convert_integer keeps.
          variant = register_width(result) == Width::w16 ? 0xffffU : 0xffffffffU;
        } else if (selection->loose_result && register_width(result) == Width::w16) {
          variant |= narrow_result;
        }
      }
    }
    for (std::size_t field = 2; field < 6; ++field) {
      if (widths[field] == Width::none) continue;
      if (next >= current_->operands.size()) {
        // setp has its predicate only with a combination, cvt.pack of 16 bits no third source.
        if (widths[field] == Width::predicate || is_optional_operand()) continue;
        malformed("has too few operands");
      }
      const Operand& source = operand(next++);
      fields[field] = read(source, widths[field], selection->loose_source);
      if (source.negated) {
        if (widths[field] != Width::predicate) malformed("negates what is no predicate");
        variant |= 4;
      }
    }
    if (next < current_->operands.size()) malformed("has too many operands");
    // A video instruction without an accumulator has no third source, and its handler does not look
    // at it.
    if (current_->opcode[0] == 'v' && fields[4] == Operation::none) fields[4] = fields[2];
    Operation& op = emit(selection->entry.handler, selection->instruction_class);
    op.dst = fields[0];
    op.dst2 = fields[1];
    op.a = fields[2];
    op.b = fields[3] != Operation::none ? fields[3] : fields[2];
    op.c = fields[4];
    op.d = fields[5];
    op.variant = variant;
    if (has("sync")) {
      op.control = Control::converge;
      // The member mask is the last operand.
      for (std::size_t field = 2; field < 6; ++field) {
        if (widths[field] != Width::none) op.members = fields[field];
      }
    }
  }

  bool is_optional_operand() const {
    return current_->opcode[0] == 'v' || current_->opcode == "cvt";
  }

  bool is_integer_conversion() const {
    return std::all_of(current_->modifiers.begin(), current_->modifiers.end(),
                       [](const std::string& m) {
                         return !is_type(m) || m[0] == 'u' || (m[0] == 's' && m != "sat");
                       });
  }

  void decode_address_conversion() {
    std::string key = full_name(*current_);
    const std::size_t cta = key.find("::cta");
    if (cta != std::string::npos) key.erase(cta, 5);
    const auto found = lane_operations().find(key);
    if (found == lane_operations().end()) refuse("");
    if (current_->opcode == "isspacep") {
      const std::int32_t result = write(operand(0), Width::predicate);
      const std::int32_t a = read(operand(1), Width::w64);
      Operation& op = emit(found->second.handler, InstructionClass::compare);
      op.dst = result;
      op.a = op.b = a;
      return;
    }
    const std::int32_t result = write(operand(0), Width::w64);
    const std::int32_t a = read(operand(1), Width::w64);
    Operation& op = emit(found->second.handler, InstructionClass::integer);
    op.dst = result;
    op.a = a;
  }

  /// tex.* and the tensor instructions: their operands, vectors flattened, are a list.
  void decode_listed(const Entry& entry, InstructionClass c, const DecodedOperands& decoded) {
    if (!decoded.supported) refuse("");
    std::optional<Address> at;
    if (decoded.address != nullptr)
      at = address(*decoded.address, stated_space().value_or(Space::generic));
    Operation& op = emit(entry.handler, c);
    op.list = new_list(decoded.list);
    op.variant = decoded.variant;
    op.count = static_cast<std::uint8_t>(decoded.list.size());
    if (at)
      set_address(op, *at);
    else if (c == InstructionClass::texture)
      op.site = new_site();
    if (has("sync")) {
      op.control = Control::converge;
      op.members = constant(all_lanes, Width::w32);
    }
  }

  bool decode_texture_or_tensor() {
    const OperandReader take = [&](const Operand& o, Width w, bool is_result) {
      return is_result ? write(o, w) : read(o, w);
    };
    if (const Entry* entry = find_texture_operation(*current_)) {
      decode_listed(*entry, InstructionClass::texture, texture_operands(*current_, take));
      return true;
    }
    const Entry* entry = find_tensor_operation(*current_);
    if (entry == nullptr) return false;
    const bool stores = current_->opcode == "stmatrix" || has("store");
    const bool loads = current_->opcode == "ldmatrix" || has("load");
    decode_listed(*entry,
                  stores  ? InstructionClass::store
                  : loads ? InstructionClass::load
                          : InstructionClass::tensor,
                  tensor_operands(*current_, take));
    return true;
  }

  void decode_instruction(bool inlined, std::size_t remaining) {
    const std::string& opcode = current_->opcode;
    static const std::set<std::string_view> ignored = {
        "prefetch", "prefetchu",      "discard",    "applypriority",
        "pmevent",  "griddepcontrol", "setmaxnreg", "nop"};
    if (opcode == "ld" || opcode == "ldu")
      decode_access(true);
    else if (opcode == "st")
      decode_access(false);
    else if (opcode == "atom")
      decode_atomic(true);
    else if (opcode == "red")
      decode_atomic(false);
    else if (opcode == "mov")
      decode_move();
    else if (opcode == "bra")
      decode_branch();
    else if (opcode == "brx")
      decode_indexed_branch();
    else if (opcode == "call")
      decode_call();
    else if (opcode == "ret")
      decode_return(inlined, remaining);
    else if (opcode == "exit")
      emit_control(Control::exit);
    else if (opcode == "trap" || opcode == "brkpt")
      emit_control(Control::trap);
    else if (opcode == "bar" || opcode == "barrier")
      decode_barrier();
    else if (opcode == "membar" || opcode == "fence")
      emit(warp_operations().at("fence").handler, InstructionClass::barrier);
    else if (opcode == "nanosleep")
      emit(warp_operations().at("sleep").handler, InstructionClass::control);
    else if (opcode == "cvta" || opcode == "isspacep")
      decode_address_conversion();
    else if (opcode == "cp")
      decode_copy_async();
    else if (ignored.contains(opcode))
      emit_nothing(InstructionClass::control);
    else if (!decode_texture_or_tensor())
      decode_selected();
  }

  void decode_function(Frame& frame, const ptx::SourceLine&) {
    frame_ = &frame;
    for (const ptx::Variable& variable : frame.function->variables) declare(frame, variable);
    const auto& instructions = frame.function->instructions;
    auto label = frame.function->labels.begin();
    const auto labels_end = frame.function->labels.end();
    for (std::size_t i = 0; i <= instructions.size(); ++i) {
      for (; label != labels_end && label->index == i; ++label) {
        frame.labels[label->name] = static_cast<std::uint32_t>(code_.operations.size());
      }
      if (i == instructions.size()) break;
      current_ = &instructions[i];
      frame_ = &frame;
      decode_instruction(frame.depth > 0, instructions.size() - 1 - i);
    }
    frame.labels[end_label] = static_cast<std::uint32_t>(code_.operations.size());
    current_ = nullptr;
    const auto target_of = [&](const std::string& name) {
      const auto found = frame.labels.find(name);
      if (found == frame.labels.end()) {
        throw InvalidArgument("function '" + frame.function->name + "' branches to '" + name +
                              "', which is no label of it");
      }
      return static_cast<std::int32_t>(found->second);
    };
    for (const auto& [index, name] : frame.branches)
      code_.operations[index].target = target_of(name);
    for (const auto& [index, names] : frame.tables) {
      std::vector<std::int32_t> targets;
      for (const std::string& name : names) targets.push_back(target_of(name));
      code_.operations[index].target = static_cast<std::int32_t>(code_.jump_tables.size());
      code_.jump_tables.push_back(std::move(targets));
    }
  }
};

}  // namespace

Code decode(const ptx::Module& module, const ptx::Function& kernel) {
  return Decoder(module, kernel).decode();
}

}  // namespace warpwise::emulator
