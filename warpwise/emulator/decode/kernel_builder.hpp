#pragma once

// Internal to the emulator: the state of a kernel while it is decoded.

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

/// Meaning of a name at its use.
struct Symbol {
  enum class Kind { reg, shared, local, parameter, argument, variable, function } kind = Kind::reg;
  Width width = Width::none;
  std::int32_t reg = 0;  ///< virtual register
  /// Number of virtual registers (`name.x`, ...) that hold a vector register or one of 128 bits.
  std::size_t parts = 1;
  std::uint64_t offset =
      0;                    ///< in shared, local or parameter memory; arguments lie in local memory
  std::uint64_t bytes = 0;  ///< size of an argument
  std::size_t variable = 0;  ///< index of the variable or function in the module
  bool in_frame = false;     ///< `offset` is in the frame of a function called at run time
};

struct Frame {
  const ptx::Function* function = nullptr;
  std::map<std::string, Symbol, std::less<>> symbols;
  std::map<std::string, std::uint32_t, std::less<>> labels;
  /// An operation that jumps to one label of this frame, or to the labels of a jump table.
  struct Branch {
    std::size_t operation = 0;
    std::vector<std::string> labels;
    bool is_indexed = false;
    const ptx::Instruction* instruction = nullptr;
  };
  std::vector<Branch> branches;
  int depth = 0;           ///< number of inlined calls that the frame lies in
  bool is_called = false;  ///< called at run time
  bool has_parts = false;  ///< some of its registers are vectors or have 128 bits
};

Width width_of_type(std::string_view type);

/// Returns the operand of an integer literal.
inline Operand integer_operand(std::uint64_t value) {
  Operand result;
  result.kind = Operand::Kind::integer;
  result.value = value;
  return result;
}

/// Common parts of decoding for all instructions: names, memory, operands, and emission of
/// operations.
class KernelBuilder {
 protected:
  KernelBuilder(const ptx::Module& module, const ptx::Function& kernel, bool separates_shared)
      : module_(module), kernel_(kernel), separates_shared_(separates_shared) {}

  // ---- messages

  /// Describes a place: "PTX line 12", or "kernel.cu:3 (PTX line 12)" if the source line is known.
  std::string place(const ptx::SourceLine& source, int ptx_line) const;

  [[noreturn]] void refuse(const std::string& what) const;

  [[noreturn]] void malformed(const std::string& what) const;

  // ---- memory of the kernel

  void lay_out_parameters();

  /// Places a shared variable and returns its offset. Returns dynamic_marker for an extern
  /// variable, which finish() places.
  std::uint64_t place_shared(const std::string& key, const ptx::Variable& variable);

  /// Returns the offset of the next shared variable. If separates_shared_ is true, a gap lies
  /// before all but the first. Gaps change neither a variable's alignment nor its banks.
  std::uint64_t next_shared(std::uint64_t alignment);

  /// Places the shared memory that a GPU since CC 8.0 reserves in each block, and returns its
  /// offset.
  std::uint64_t place_reserved();

  /// Returns the offset of the next variable in local memory, of which `used` bytes are taken.
  /// \throws InvalidArgument  if a thread of a GPU has no room for it
  std::uint64_t next_local(std::uint64_t used, const ptx::Variable& variable,
                           std::uint64_t alignment, const ptx::Function& function) const;

  /// Places a local variable or a call's argument in the current frame, and returns its offset.
  /// Calls that do not nest share local memory.
  std::uint64_t place_local(const ptx::Variable& variable);

  std::int32_t new_register(Width width);

  /// Adds a symbol for a function's variable to the frame.
  void declare(Frame& frame, const ptx::Variable& variable);
  void declare_register(Frame& frame, const ptx::Variable& variable);

  // ---- operands

  /// Looks up a name in the frame, in the module or among special registers. Null if unknown.
  const Symbol* lookup(const std::string& name);

  std::size_t append_constant(std::uint64_t bits, Width width);

  /// Returns the operand of a constant: of a literal, or of a symbol's address.
  std::int32_t constant(std::uint64_t bits, Width width);

  std::int32_t address_constant(const Symbol& symbol, std::int64_t addend, Width width);

  /// Returns the register that holds the frame's address in a function called at run time.
  std::int32_t frame_register();

  /// Returns an operand with the address at this offset in the frame of frame_register().
  std::int32_t frame_address(std::uint64_t offset);

  std::int32_t literal(const Operand& operand, Width width);

  static bool fits(Width have, Width want, bool loose);

  /// Returns the operand of a register or literal that the current instruction reads or writes.
  /// \param loose  allows a register of 16 bits instead of 32 bits, and of 32 bits instead of 16
  std::int32_t read(const Operand& operand, Width width, bool loose = false);

  std::int32_t write(const Operand& operand, Width width, bool loose = false);

  Width register_width(const Operand& operand);

  // ---- emission

  /// Appends an operation for the current instruction, with the instruction's guard. The operation
  /// gets the registers in accesses_, which is empty afterwards.
  Operation& emit(Handler run, InstructionClass c);

  /// Counts a call that is inlined, with the names that the function declares.
  /// \throws Unsupported  if the kernel has too many such names
  void count_inlined(const ptx::Function& function);

  void emit_control(Control control) { emit(nullptr, InstructionClass::control).control = control; }

  /// Adds a site for a memory access of the last emitted operation.
  std::int32_t new_site(InstructionClass kind, bool compiler_local = false);

  std::int32_t new_list(const std::vector<std::int32_t>& entries);

  // Parts of the current instruction.
  bool has(std::string_view modifier) const;

  const Operand& operand(std::size_t i) const;

  std::string type() const;

  /// Places dynamic shared memory and registers.
  void finish(ObserverSet observers);

  static constexpr std::uint64_t dynamic_marker = ~std::uint64_t{0};
  static constexpr const char* end_label = "end of the function";

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  bool separates_shared_;  ///< leaves gaps between shared variables
  Code code_;
  Frame* frame_ = nullptr;
  const ptx::Instruction* current_ = nullptr;
  std::vector<const ptx::Function*> calls_;
  std::map<std::string, std::uint64_t> shared_;
  std::map<std::string, std::optional<std::int32_t>> specials_;
  std::map<std::pair<std::uint64_t, Width>, std::int32_t> constants_;
  std::vector<std::pair<std::size_t, Width>> dynamic_addresses_;
  std::uint64_t dynamic_alignment_ = 0;
  std::string last_shared_;  ///< name of the last shared variable
  std::uint64_t local_top_ = 0;
  std::uint64_t local_peak_ = 0;
  bool in_frame_ = false;      ///< true: decodes a function called at run time
  std::size_t inlined_ = 0;    ///< number of names in inlined functions; see count_inlined()
  std::vector<Width> widths_;  ///< of each virtual register
  Accesses accesses_;          ///< of the current instruction
  std::vector<Accesses> operation_accesses_;
};

}  // namespace warpwise::emulator
