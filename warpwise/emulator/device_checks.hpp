#pragma once

#include <cstdint>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

// Access to a device for the checks of the CUDA runtime (Check::memory, Check::runtime).
namespace warpwise::emulator {

/// Returns the name and size of each allocation that a kernel made by malloc or new and that is not
/// freed yet.
WARPWISE_EXPORT std::vector<std::pair<std::string, std::uint64_t>> heap_allocations(
    const Device& device);

/// Frees all allocations that kernels made by malloc or new.
WARPWISE_EXPORT void free_heap(Device& device);

/// Returns true if the address begins a program's variable.
WARPWISE_EXPORT bool is_variable(const Device& device, Address address);

/// Marks all allocated memory as written, for Check::init. Called when a kernel was not run,
/// because the kernel would have written some bytes.
WARPWISE_EXPORT void count_as_written(Device& device);

/// Returns the lock of the device's allocations. fork() waits for it, so that the child finds the
/// lock free and the allocations complete.
WARPWISE_EXPORT std::shared_mutex& lock_of(Device& device);

class MemoryUses;

/// Makes launches with Check::races, Check::init or Check::runtime record their accesses in `uses`.
/// Host-visible memory that is allocated from now on fills whole pages. Page protection can then
/// catch the host's accesses to it.
WARPWISE_EXPORT void watch_uses(Device& device, MemoryUses& uses);

/// Describes an address: "byte 4 of allocation 3 of 128 bytes".
WARPWISE_EXPORT std::string described(const Device& device, Address address);

}  // namespace warpwise::emulator
