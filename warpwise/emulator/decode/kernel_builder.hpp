#pragma once

// Internal to the emulator: a kernel while it is decoded.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/decode/register_allocation.hpp"

namespace warpwise::emulator {

using ptx::Operand;

/// What a name stands for where it is used.
struct Symbol {
  enum class Kind { reg, shared, local, parameter, argument, variable, function } kind = Kind::reg;
  Width width = Width::none;
  std::int32_t reg = 0;  ///< virtual register
  std::uint64_t offset =
      0;  ///< in shared, local or parameter memory; of an argument, in local memory
  std::uint64_t bytes = 0;   ///< of an argument
  std::size_t variable = 0;  ///< or function, of the module
  bool in_frame = false;     ///< its offset is one in the frame of a function called at run time
};

struct Frame {
  const ptx::Function* function = nullptr;
  std::map<std::string, Symbol, std::less<>> symbols;
  std::map<std::string, std::uint32_t, std::less<>> labels;
  /// An operation whose targets are labels of this frame: one, or those of a jump table.
  struct Branch {
    std::size_t operation = 0;
    std::vector<std::string> labels;
    bool is_indexed = false;
    const ptx::Instruction* instruction = nullptr;
  };
  std::vector<Branch> branches;
  int depth = 0;           ///< of inlining
  bool is_called = false;  ///< at run time
};

Width width_of_type(std::string_view type);

/// What decoding needs whatever the instruction: names, memory, operands, and the operations as
/// they come.
class KernelBuilder {
 protected:
  KernelBuilder(const ptx::Module& module, const ptx::Function& kernel)
      : module_(module), kernel_(kernel) {}

  // ---- messages

  /// "PTX line 12", behind the source line where that is known: "kernel.cu:3 (PTX line 12)".
  std::string place(const ptx::SourceLine& source, int ptx_line) const;

  [[noreturn]] void refuse(const std::string& what) const;

  [[noreturn]] void malformed(const std::string& what) const;

  // ---- memory of the kernel

  void lay_out_parameters();

  /// The offset of a shared variable; all extern ones are dynamic_marker until the static ones are
  /// known.
  std::uint64_t place_shared(const std::string& key, const ptx::Variable& variable);

  /// The offset of the shared memory that a GPU since CC 8.0 gives each block beside the kernel's.
  std::uint64_t place_reserved();

  /// The offset of a local variable or a call's argument, in the frame of what is decoded; those of
  /// calls that do not nest share places.
  std::uint64_t place_local(const ptx::Variable& variable);

  std::int32_t new_register(Width width);

  /// Gives a function's variable its symbol in the frame.
  void declare(Frame& frame, const ptx::Variable& variable);

  // ---- operands

  /// What a name means here: of the frame, of the module, a special register; null for none.
  const Symbol* lookup(const std::string& name);

  std::size_t append_constant(std::uint64_t bits, Width width);

  /// The operand of a literal, of an address.
  std::int32_t constant(std::uint64_t bits, Width width);

  std::int32_t address_constant(const Symbol& symbol, std::int64_t addend, Width width);

  /// The register that holds where the frame of a function called at run time begins.
  std::int32_t frame_register();

  /// The operand of a place in that frame.
  std::int32_t frame_address(std::uint64_t offset);

  std::int32_t literal(const Operand& operand, Width width);

  static bool fits(Width have, Width want, bool loose);

  /// The operand of a register or literal that the current instruction reads or writes. `loose`: 16
  /// bits will do for 32 and the other way round.
  std::int32_t read(const Operand& operand, Width width, bool loose = false);

  std::int32_t write(const Operand& operand, Width width, bool loose = false);

  Width register_width(const Operand& operand);

  // ---- emission

  /// Appends an operation for the current instruction, with its guard and the registers read so
  /// far.
  Operation& emit(Handler run, InstructionClass c);

  void emit_control(Control control) { emit(nullptr, InstructionClass::control).control = control; }

  /// A place where the operation emitted last accesses memory.
  std::int32_t new_site(InstructionClass kind, bool compiler_local = false);

  std::int32_t new_list(const std::vector<std::int32_t>& entries);

  // Of the current instruction.
  bool has(std::string_view modifier) const;

  const Operand& operand(std::size_t i) const;

  std::string type() const;

  /// Places dynamic shared memory and registers.
  void finish(ObserverSet observers);

  static constexpr std::uint64_t dynamic_marker = ~std::uint64_t{0};
  static constexpr const char* end_label = "end of the function";

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  Code code_;
  Frame* frame_ = nullptr;
  const ptx::Instruction* current_ = nullptr;
  std::vector<const ptx::Function*> calls_;
  std::map<std::string, std::uint64_t> shared_;
  std::map<std::string, std::optional<std::int32_t>> specials_;
  std::map<std::pair<std::uint64_t, Width>, std::int32_t> constants_;
  std::vector<std::pair<std::size_t, Width>> dynamic_addresses_;
  std::uint64_t dynamic_alignment_ = 0;
  std::uint64_t local_top_ = 0;
  std::uint64_t local_peak_ = 0;
  bool in_frame_ = false;      ///< what is decoded is called at run time
  std::vector<Width> widths_;  ///< of each virtual register
  Accesses accesses_;          ///< of the instruction being decoded
  std::vector<Accesses> operation_accesses_;
};

}  // namespace warpwise::emulator
