#include "warpwise/emulator/access.hpp"

namespace warpwise::emulator {

const Entry* find_tensor_operation(const ptx::Instruction&) { return nullptr; }
DecodedOperands decode_operands(const ptx::Instruction&, const OperandReader&) { return {}; }

}  // namespace warpwise::emulator
