#pragma once

#include <cuda_runtime_api.h>

#include "warpwise/emulator/runtime/checks/allocations.hpp"

namespace warpwise::emulator::runtime {

/// Returns the use of a memory pool; null if there is no such pool.
PoolUse* use_of(cudaMemPool_t pool);
/// Destroys the program's pools and gives the default pool its first state, for cudaDeviceReset().
void reset_pools();

}  // namespace warpwise::emulator::runtime
