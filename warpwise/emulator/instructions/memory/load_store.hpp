#pragma once

// Internal to the emulator: the instructions ld and st.

#include <string_view>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns the handler of a load (or store) between elements of a PTX type and registers of a
/// width; null for a pair that PTX does not allow. The registers are Operation::count entries of
/// Code::lists. With Space::parameter the handler loads from the kernel's own parameters at
/// Operation::offset, which is in bounds. In other spaces it resolves the address.
Handler load_handler(ObserverSet observers, std::string_view type, Width width, Space space);
Handler store_handler(ObserverSet observers, std::string_view type, Width width);

/// Returns the handler of st.bulk, which fills memory with zeros.
Handler fill_handler(ObserverSet observers);

}  // namespace warpwise::emulator
