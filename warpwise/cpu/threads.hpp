#pragma once

#include "warpwise/base/export.hpp"

namespace warpwise::cpu {

/// Lets calls on the CPU, all of this process's together, use at most this many threads, the
/// calling ones among them; 0: as many as there are cores that the process may use, as from the
/// start. Calls that are under way keep what they have. For programs that do not link oneTBB, whose
/// tbb::global_control does the same.
/// \throws InvalidArgument  a negative number
WARPWISE_EXPORT void limit_threads(int threads);

}  // namespace warpwise::cpu
