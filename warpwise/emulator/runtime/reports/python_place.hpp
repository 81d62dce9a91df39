#pragma once

#include <memory>

#include "warpwise/emulator/runtime/reports/call_site.hpp"

namespace warpwise::emulator::runtime {

/// Returns the line of Python that this thread executes: the innermost one outside of installed
/// packages, or else the innermost. Returns null without Python, and while a Python exception is
/// pending. Takes Python's global lock, so the caller must hold no lock that another Python thread
/// may wait for.
std::shared_ptr<const ProgramPlace> python_place();

}  // namespace warpwise::emulator::runtime
