#pragma once

#include <optional>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Known findings in CUDA's own libraries, listed in known_places.txt.
namespace warpwise::emulator::runtime {

/// Returns the reason why a fault is correct on a GPU, if known_places.txt lists its place for the
/// library's version. \param kernel  its name in the PTX
std::optional<std::string> why_known(const std::string& kernel, const Fault& fault);

}  // namespace warpwise::emulator::runtime
