#pragma once

// Internal to the emulator: which handler an arithmetic instruction has.

#include <optional>
#include <string>
#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"
#include "warpwise/emulator/instructions/table.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::emulator {

struct Selection {
  Entry entry;
  std::uint32_t flags = 0;  ///< packed
  InstructionClass instruction_class = InstructionClass::integer;
  /// Operands whose register may also be of 16 (32) bits: those of conversions from and to 8 and 16
  /// bits.
  bool loose_result = false;
  bool loose_source = false;
  bool is_integer_conversion = false;  ///< its flags depend on the result's register
  bool third_is_optional = false;      ///< source c may be left out
  bool needs_second_result = false;    ///< the results have to be a pair, `a|b`
};

/// The handler of an instruction that computes its results from registers alone; nothing for
/// others.
std::optional<Selection> select(const ptx::Instruction& instruction);

/// The same for a `cvt` of integers of up to 32 bits whose source register has 64.
std::optional<Selection> select_from_lower_bits(const ptx::Instruction& instruction);

/// An instruction as PTX writes it without its operands: "mad.lo.s32".
std::string full_name(const ptx::Instruction& instruction);

bool is_type(std::string_view modifier);
/// Bits of a type: 8 ... 64, 1 for pred, 0 for what is none.
int type_bits(std::string_view type);

}  // namespace warpwise::emulator
