#pragma once

// Internal to the emulator: ld and st.

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// The handler of a load (or store) of elements of a PTX type into (from) registers of a width;
/// null for a pair that PTX does not allow. Its registers are Operation::count entries of
/// Code::lists. For Space::parameter the load is from the kernel's own parameters at
/// Operation::offset, in bounds; in any other space its address is resolved.
Handler load_handler(ObserverSet observers, std::string_view type, Width width, Space space);
Handler store_handler(ObserverSet observers, std::string_view type, Width width);

}  // namespace warpwise::emulator
