#pragma once

#include <cstdint>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Records each allocation of the program: the call that made it, and whether it was freed. For
// messages and for Check::memory.
namespace warpwise::emulator::runtime {

enum class AllocationKind { device, managed, pinned, array };

/// Returns the name of the next allocation for messages: "allocation 3".
std::string next_allocation_name();

/// Records an allocation of the current call, under the name that next_allocation_name() returned.
void note_allocation(Address address, std::uint64_t bytes, AllocationKind kind,
                     const std::string& name);

/// Records that the current call frees memory. With Check::memory a wrong free is reported.
/// \param host  true for a function that frees pinned memory
void note_free(const void* pointer, bool host);

/// Records that a graph keeps this memory. It is never freed and does not count as a leak.
void note_kept(const void* pointer);

/// Forgets all allocations, as cudaDeviceReset() frees them: none of them leaks.
void forget_allocations();

/// Returns a fault's message, with the places where the allocations in it were made and freed.
std::string with_origins(std::string message);

/// With Check::memory, reports memory that was never freed; called at the program's end.
void report_leaks();

}  // namespace warpwise::emulator::runtime
