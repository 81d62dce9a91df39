#pragma once

#include "warpwise/base/export.hpp"

namespace warpwise::cpu {

/// Limits the threads of a call on the CPU, the calling thread included, for all calls in this
/// process. All calls share the other threads: at most `threads` - 1. Threads that call at the same
/// time still compute at the same time. 0 removes the limit, as at the start: calls then use a
/// thread for each core that the process may use. Calls under way keep their threads. Programs that
/// link oneTBB can use tbb::global_control instead.
/// \throws InvalidArgument  a negative number
WARPWISE_EXPORT void limit_threads(int threads);

}  // namespace warpwise::cpu
