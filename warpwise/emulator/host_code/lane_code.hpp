#pragma once

// Internal to the emulator: machine code of operations that compute each lane from operands of the
// same lane.

#include <xbyak/xbyak.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// Number of lanes of 32 bits in a vector of 256 bits. A run of operations is computed for 8 lanes
/// before the next 8, so that values stay in the CPU's registers between operations.
inline constexpr int lanes_at_once = 8;

class LaneCode;

/// A generator of machine code for one kind of operation. The code replaces a call of the
/// operation's handler.
struct LaneInstruction {
  /// Widths of the operands dst, dst2, a, b, c, d.
  std::array<Width, 6> widths{};
  /// Writes the code for 8 lanes, or for 4 lanes if results have 64 bits.
  void (*emit)(LaneCode& code) = nullptr;
};

/// The machine code of a load of 32 bits per lane, from addresses of 32 bits relative to rdx.
extern const LaneInstruction word_load;

/// Returns the machine code of an operation; null if the operation has none.
const LaneInstruction* lane_instruction(const Operation& op);

/// An operation and its machine code.
struct LaneOperation {
  Operation operation;
  const LaneInstruction* instruction = nullptr;
};

/// Writes machine code of runs of operations. `registers` and `constants` are registers of the CPU
/// that hold a warp's register file and its constants. `mask`, if given, is the distance from the
/// stack pointer to a word for each lane: all ones if the lane gets results, else 0.
class LaneCode {
 public:
  LaneCode(Xbyak::CodeGenerator& to, const Xbyak::Reg64& registers, const Xbyak::Reg64& constants,
           std::optional<int> mask)
      : to_(to), registers_(registers), constants_(constants), mask_(mask) {}

  /// Writes the code of operations without guards.
  void write(std::span<const LaneOperation> operations);
  /// Writes code that sets the words of the mask. It changes ymm0 and ymm1.
  void write_mask(const Xbyak::Reg32& lanes);
  /// Writes the tables that the code reads. Called once, after all code.
  void write_tables();

  // The functions below are for LaneInstruction::emit. An operand means its values in the 8 or 4
  // lanes that are being written.
  Xbyak::CodeGenerator& to() { return to_; }
  const Operation& op() const { return *op_; }
  /// Returns an operand of the result's width, in a register.
  Xbyak::Ymm in(std::int32_t operand) { return load(operand, half_); }
  /// Returns an operand of the result's width: in memory if it is a constant or is not read again
  /// soon, otherwise in a register.
  const Xbyak::Operand& any(std::int32_t operand) { return source(operand, half_); }
  /// Returns an operand of 64 bits in the first (half 0) or last (half 1) four of the 8 lanes that
  /// are being written. For results of 32 bits.
  Xbyak::Ymm in_half(std::int32_t operand, int half) { return load(operand, half); }
  /// Returns 4 lanes of an operand of 32 bits for a result of 64 bits. May use scratch register i.
  const Xbyak::Operand& four(std::int32_t operand, int i);
  /// Returns the register for the result, which differs from the operands' registers.
  Xbyak::Ymm out() const { return out_; }
  /// Returns one of 3 registers for intermediate values.
  Xbyak::Ymm scratch(int i) const { return Xbyak::Ymm(first_scratch + i); }
  /// Sets scratch register 0 to all ones in the lanes where a predicate is true.
  void expand_predicate(std::int32_t operand);
  /// Tables that the code reads, each one vector in memory.
  enum class Table { nan32, sign32, magnitude32, beyond32, sign64, magnitude64, quiet64, word };
  Xbyak::Address table(Table which);

 private:
  static constexpr int first_scratch = 11;
  static constexpr int store_mask = 14;

  /// The value that a register of the CPU holds.
  struct Held {
    std::int32_t operand = Operation::none;
    int half = 0;
    bool is_new = false;   ///< not yet in memory
    bool is_used = false;  ///< the operation that is being written uses it
  };

  bool is_wide(std::int32_t operand) const;
  Xbyak::Address place(std::int32_t operand, int half) const;
  int find(std::int32_t operand, int half) const;
  int take();
  Xbyak::Ymm load(std::int32_t operand, int half);
  const Xbyak::Operand& source(std::int32_t operand, int half);
  std::size_t next_use(std::int32_t operand, std::size_t from) const;
  void store(const Held& held, int i);
  void write_operation(std::size_t at);

  Xbyak::CodeGenerator& to_;
  Xbyak::Reg64 registers_;
  Xbyak::Reg64 constants_;
  std::optional<int> mask_;
  Xbyak::Label tables_;
  Xbyak::Label lane_bits_;
  std::span<const LaneOperation> operations_;
  std::size_t at_ = 0;
  const Operation* op_ = nullptr;
  int chunk_ = 0;
  int half_ = 0;
  Xbyak::Ymm out_;
  std::array<Held, first_scratch> held_;
  std::deque<Xbyak::Address> addresses_;  ///< of the operation's operands
  std::deque<Xbyak::Xmm> vectors_;
};

}  // namespace warpwise::emulator
