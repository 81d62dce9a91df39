// The lane operations for any CPU of the architecture that the library is compiled for.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator::baseline {

#include "warpwise/emulator/instructions/lanes/lanes-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_numbers-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_packed-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_table-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_wide-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_words_table-inl.hpp"

}  // namespace warpwise::emulator::baseline
