#include "warpwise/emulator/access.hpp"

namespace warpwise::emulator {

const Entry* find_texture_operation(const ptx::Instruction&) { return nullptr; }

}  // namespace warpwise::emulator
