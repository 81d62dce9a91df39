#pragma once

#include <cstdint>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// What the program has allocated, by which call, and whether it was freed: for messages and for
// Check::memory.
namespace warpwise::emulator::runtime {

enum class AllocationKind { device, managed, pinned, array };

/// What faults call the next allocation: "allocation 3".
std::string next_allocation_name();

/// The call that is being made has allocated memory, by the name that next_allocation_name() gave.
void note_allocation(Address address, std::uint64_t bytes, AllocationKind kind,
                     const std::string& name);

/// The call that is being made frees memory. What is wrong with it is reported, with Check::memory.
/// \param host  it is a function that frees pinned memory
void note_free(const void* pointer, bool host);

/// A graph keeps memory, which is never freed and does not leak.
void note_kept(const void* pointer);

/// All that there was is gone, as with cudaDeviceReset(): nothing of it leaks.
void forget_allocations();

/// A fault's message, and for the allocations that it names where they were made and freed.
std::string with_origins(std::string message);

/// Reports what was never freed; at the program's end, with Check::memory.
void report_leaks();

}  // namespace warpwise::emulator::runtime
