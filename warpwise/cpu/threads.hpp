#pragma once

#include "warpwise/base/export.hpp"

namespace warpwise::cpu {

/// Limits the threads that a call uses on the CPU, including the calling thread, for all calls in
/// this process. The calls share at most `threads` - 1 other threads. Calls from several threads
/// still compute at the same time. 0 removes the limit, which is the initial state: a call then
/// uses a thread for each core that the process may use. Calls under way keep their threads.
/// Programs that link oneTBB can use tbb::global_control instead.
/// \throws InvalidArgument  a negative number
WARPWISE_EXPORT void limit_threads(int threads);

}  // namespace warpwise::cpu
