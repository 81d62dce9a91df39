#pragma once

// Internal to the emulator: converts PTX's syntax tree to operations. Names become registers,
// constants and addresses, calls are inlined, instructions get their handlers. Unsupported code is
// refused here, before anything runs.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/decode/kernel_builder.hpp"
#include "warpwise/emulator/instructions/listed.hpp"

namespace warpwise::emulator {

/// Decodes a kernel.
/// \param observers  counts, checks or the pace model; the handlers of memory accesses inform them
/// \param separates_shared  leaves gaps between shared variables, so that an access between two of
/// them is a fault
/// \throws InvalidArgument, Unsupported  with the instruction and its place
Code decode(const ptx::Module& module, const ptx::Function& kernel, ObserverSet observers,
            bool separates_shared);

/// Decodes one kernel for decode(). The member functions are in one file for each kind of
/// instruction: decode_memory.cpp, decode_control.cpp, …
class Decoder : KernelBuilder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& kernel, ObserverSet observers,
          bool separates_shared)
      : KernelBuilder(module, kernel, separates_shared), observers_(observers) {}

  Code decode();

 private:
  struct CallOperands {
    std::vector<Operand> results;
    std::vector<Operand> arguments;
    const Operand* pointer = nullptr;  ///< pointer to the function, if the call does not name it
  };
  struct Address {
    std::int32_t base = 0;
    std::int64_t offset = 0;
    Space space = Space::generic;
    bool is_32_bits = false;
    bool compiler_local = false;
    std::optional<std::uint64_t> parameter;  ///< offset in the kernel's parameters, if known
  };

  void decode_function(Frame& frame);
  void resolve_labels(const Frame& frame, const Frame::Branch& branch);
  void decode_instruction(std::size_t remaining);
  void emit_nothing(InstructionClass c);

  // ---- decode_composed.cpp
  /// Decodes an instruction that stands for several simpler ones. Returns false for any other.
  bool decode_composed();
  bool decode_parts();
  void decode_vector_move();
  void decode_logic_test();
  void decode_extreme_of_three();
  void decode_mixed_arithmetic();
  void decode_set_half();
  bool decode_special_half();
  void refuse_selected_parts();
  std::vector<Operand> parts_of(const Operand& operand);

  /// Decodes another instruction in place of the current one, with the guard of the current one.
  void decode_as(std::string opcode, std::vector<std::string> modifiers,
                 std::vector<Operand> operands);

  /// Returns a new register of this frame.
  Operand temporary(Width width);

  // ---- decode_memory.cpp
  bool is_inside_parameters(std::uint64_t offset, int bytes, std::size_t elements) const;

  /// Decodes an address `[...]` in the state space that the instruction states.
  Address address(const Operand& operand, Space space);
  void require_writable(const Address& at) const;
  std::optional<Space> stated_space() const;
  void set_address(Operation& op, const Address& at, InstructionClass kind);
  bool is_strong() const;
  bool is_narrow() const;
  void set_order(Operation& op) const;
  void decode_access(bool is_load);
  void decode_atomic(bool has_result);
  void decode_cluster_address();
  void decode_policy();
  void decode_fill();

  // ---- decode_async.cpp
  void decode_copy_async();
  std::int32_t address_value(const Address& at);
  void decode_copy_arrival();
  void decode_async_group(Asynchronous what);
  void decode_mbarrier();
  void decode_store_async();
  void decode_launch_control();
  void emit_mbarrier(MbarrierFlags flags, const Operand& object, std::int32_t result,
                     std::int32_t value, std::int32_t bytes);

  // ---- decode_bulk.cpp
  void decode_copy_bulk();
  void decode_copy_tensor();
  Reduction stated_reduction() const;
  ElementType reduced_type() const;
  std::int32_t multicast_mask(std::size_t at);
  void emit_bulk(Handler handler, const std::vector<std::int32_t>& list, std::uint32_t flags,
                 Space to);

  // ---- decode_tensormap.cpp
  void decode_tensor_map();
  void copy_tensor_map();

  // ---- decode_control.cpp
  void decode_barrier();
  void decode_branch();
  void decode_indexed_branch();
  void decode_return(std::size_t remaining);

  // ---- decode_warpgroup.cpp
  void decode_warpgroup();
  WarpgroupProductFlags warpgroup_flags() const;

  // ---- decode_call.cpp
  const ptx::Function* find_function(const std::string& name) const;
  void decode_call();
  void inline_call(const ptx::Function& callee, const CallOperands& call);
  void call_at_run_time(const ptx::Function* callee, const CallOperands& call);
  void decode_stack();

  /// Decodes the functions that are called at run time, with those that they call.
  void decode_called_functions();
  void decode_called_function(std::size_t index);
  /// Returns a function's index in Code::functions, and queues the function for decoding.
  std::size_t called(const ptx::Function& function);
  /// Returns a function's index in Code::functions, without queueing the function.
  std::size_t known(const ptx::Function& function);
  void list_pointed_functions();
  void list_kernels();
  void decode_system_call(const std::string& name, const CallOperands& call);

  // ---- decode_compute.cpp
  void decode_move();
  void decode_pack(const Operand& to, const Operand& from);

  /// Decodes instructions that compute only from registers.
  void decode_selected();
  void decode_address_conversion();

  /// Decodes accesses to textures and surfaces, and the tensor instructions. Their operands become
  /// a list, with vectors flattened.
  void decode_listed(const ListedOperation& listed);
  bool decode_texture_or_tensor();

  ObserverSet observers_;
  struct Called {
    const ptx::Function* function = nullptr;
    bool is_queued = false;
  };
  std::vector<Called> called_;                       ///< for each of the code's functions
  std::vector<std::size_t> queue_;                   ///< functions to decode
  std::set<std::vector<std::uint64_t>> signatures_;  ///< of calls through pointers
};

}  // namespace warpwise::emulator
