#pragma once

// Internal to the emulator: PTX's syntax tree into operations. Names become registers, constants
// and addresses, calls are inlined, instructions get their handlers. What the emulator does not run
// is refused here, before anything runs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/emulator/decode/kernel_builder.hpp"
#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator {

/// A kernel with the handlers of a set of observers.
/// \throws InvalidArgument, Unsupported  with the instruction and its place
Code decode(const ptx::Module& module, const ptx::Function& kernel, ObserverSet observers);

/// One kernel's decoding, which decode() does. Each instruction's function is in the file of its
/// kind: decode_memory.cpp, decode_control.cpp, decode_compute.cpp.
class Decoder : KernelBuilder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& kernel, ObserverSet observers)
      : KernelBuilder(module, kernel), observers_(observers) {}

  Code decode();

 private:
  struct Address {
    std::int32_t base = 0;
    std::int64_t offset = 0;
    Space space = Space::generic;
    bool is_32_bits = false;
    bool compiler_local = false;
    std::optional<std::uint64_t> parameter;  ///< where among the kernel's parameters, if known here
  };

  void decode_function(Frame& frame);
  void resolve_labels(const Frame& frame, const Frame::Branch& branch);
  void decode_instruction(bool inlined, std::size_t remaining);
  void emit_nothing(InstructionClass c);

  // ---- decode_memory.cpp
  bool is_inside_parameters(std::uint64_t offset, int bytes, std::size_t elements) const;

  /// The place that `[...]` names, in the state space that the instruction states.
  Address address(const Operand& operand, Space space);
  void require_writable(const Address& at) const;
  std::optional<Space> stated_space() const;
  void set_address(Operation& op, const Address& at, InstructionClass kind);
  bool is_strong() const;
  void decode_access(bool is_load);
  void decode_atomic(bool has_result);
  void decode_copy_async();

  // ---- decode_control.cpp
  void decode_barrier();
  void decode_branch();
  void decode_indexed_branch();
  void decode_return(bool inlined, std::size_t remaining);
  const ptx::Function* find_function(const std::string& name) const;
  void decode_call();
  void decode_system_call(const std::string& name, const std::vector<Operand>& results,
                          const std::vector<Operand>& arguments);

  // ---- decode_compute.cpp
  void decode_move();
  void decode_pack(const Operand& to, const Operand& from);

  /// Instructions that compute from registers alone.
  void decode_selected();
  void decode_address_conversion();

  /// tex.* and the tensor instructions: their operands, vectors flattened, are a list.
  void decode_listed(const ListedOperation& listed);
  bool decode_texture_or_tensor();

  ObserverSet observers_;
};

}  // namespace warpwise::emulator
