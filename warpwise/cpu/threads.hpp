#pragma once

#include "warpwise/base/export.hpp"

namespace warpwise::cpu {

/// Limits the threads of all calls on the CPU in this process together, the calling threads
/// included. 0 removes the limit, as at the start: calls then use a thread for each core that the
/// process may use. Calls under way keep their threads. Programs that link oneTBB can use
/// tbb::global_control instead.
/// \throws InvalidArgument  a negative number
WARPWISE_EXPORT void limit_threads(int threads);

}  // namespace warpwise::cpu
