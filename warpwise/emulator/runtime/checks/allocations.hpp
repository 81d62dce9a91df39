#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Records each allocation of the program: the call that made it, and the call that freed it. The
// records serve messages and Check::memory.
namespace warpwise::emulator::runtime {

enum class AllocationKind { device, managed, pinned, array, registered };

/// Returns the name of the next allocation for messages: "allocation 3".
std::string next_allocation_name();

/// Records an allocation of the current call, under the name that next_allocation_name() returned.
void note_allocation(Address address, std::uint64_t bytes, AllocationKind kind,
                     const std::string& name);

/// Number of bytes that a memory pool has in use.
struct PoolUse {
  std::atomic<std::uint64_t> now = 0;
  std::atomic<std::uint64_t> high = 0;  ///< highest value of `now` so far
};
/// Counts an allocation in a pool, until it is freed.
void count_in_pool(Address address, PoolUse& pool);

/// Records that the program has registered memory of the host, which begins at `address`.
void note_registration(Address address);
/// Forgets a registration when it ends.
void forget_registration(Address address);

/// Returns the kind of the memory that holds the address; empty if the GPU has none there. A
/// program's variables are device or managed memory, and mapped memory is device memory.
std::optional<AllocationKind> kind_of(const void* pointer);

/// Records that the current call frees memory. With Check::memory, a wrong free is reported.
/// \param host  true in a function that frees pinned memory
/// \throws InvalidArgument  for a wrong free, which frees nothing
void note_free(const void* pointer, bool host);

/// Records that a graph keeps this memory. It is never freed and does not count as a leak.
void note_kept(const void* pointer);

/// Frees all memory of the program, and what its kernels have allocated, for cudaDeviceReset().
void free_all_memory();

/// Adds to a fault's message the places where its allocations were made and freed.
std::string with_origins(std::string message);

/// Reports memory that was never freed, with Check::memory. Called at the program's end.
void report_leaks();

}  // namespace warpwise::emulator::runtime
