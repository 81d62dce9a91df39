#pragma once

#include <optional>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Faults in CUDA's own libraries that known_places.txt lists.
namespace warpwise::emulator::runtime {

/// Returns the reason why a fault is none on a GPU, if its place is listed for its library's
/// version. \param kernel  its name in the PTX
std::optional<std::string> why_known(const std::string& kernel, const Fault& fault);

}  // namespace warpwise::emulator::runtime
