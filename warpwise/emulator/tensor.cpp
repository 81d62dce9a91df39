#include "warpwise/emulator/access.hpp"

namespace warpwise::emulator {

const Entry* find_tensor_operation(const ptx::Instruction&) { return nullptr; }
DecodedOperands tensor_operands(const ptx::Instruction&, const OperandReader&) { return {}; }

}  // namespace warpwise::emulator
