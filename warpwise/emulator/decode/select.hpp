#pragma once

// Internal to the emulator: selects the handler of an arithmetic instruction.

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
  /// The result's register may have 16 or 32 bits, in conversions to 8 or 16 bits. The same holds
  /// for the source's register in conversions from 8 or 16 bits.
  bool loose_result = false;
  bool loose_source = false;
  bool is_integer_conversion = false;  ///< its flags depend on the result's register
  bool third_is_optional = false;      ///< source c may be left out
  bool needs_second_result = false;    ///< the results must be a pair, `a|b`
};

/// Returns the handler of an instruction that computes only from registers; nothing for others.
std::optional<Selection> select(const ptx::Instruction& instruction);

/// Returns the handler of an integer `cvt` whose source register is wider than the source type. The
/// type has at most 32 bits, the register 64. The conversion reads the register's lower bits.
std::optional<Selection> select_from_lower_bits(const ptx::Instruction& instruction);

/// Returns an instruction's name with its modifiers: "mad.lo.s32".
std::string full_name(const ptx::Instruction& instruction);

bool is_type(std::string_view modifier);
/// Returns a type's number of bits: 8 ... 128, 1 for pred, 0 if `type` is no type.
int type_bits(std::string_view type);

}  // namespace warpwise::emulator
