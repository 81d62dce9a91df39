#pragma once

#include <memory>

#include "warpwise/emulator/runtime/reports/call_site.hpp"

namespace warpwise::emulator::runtime {

/// Returns the line of Python that this thread executes: the innermost one that belongs to no
/// installed package, or else the innermost. Returns null if the thread executes no Python.
/// Takes Python's global lock. The caller may hold no lock that another thread of Python may wait
/// for.
std::shared_ptr<const ProgramPlace> python_place();

}  // namespace warpwise::emulator::runtime
