#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// Signals of pages that the host must not touch yet. The handler may interrupt any function on any
// stack. It therefore only records the touch and opens the page, in preallocated memory.
namespace warpwise::emulator::runtime {

/// Accesses to a page that host threads may make.
enum class PageState : std::uint8_t {
  unknown,  ///< not watched
  open,     ///< all accesses; late signals may still arrive
  read_only,
  closed,
};

/// A touch of a page that was not open.
struct HostTouch {
  Address address = 0;
  bool writes = false;
  const void* program_counter = nullptr;
  /// Words of the thread's stack, the innermost first; some are return addresses.
  std::array<const void*, 32> stack{};
};

/// Returns true if pages are of 4096 bytes, and if the table of their states could be allocated.
/// The table has one byte for each page.
bool can_watch_pages();

/// Returns true if these pages can be watched.
bool can_watch(Address begin, std::uint64_t bytes);

/// Returns true if the program may read and write these pages, but not execute them. set_pages()
/// restores this state.
bool are_read_and_written(Address begin, std::uint64_t bytes);

/// Sets the allowed accesses to pages. Returns false if the system refuses.
bool set_pages(Address begin, std::uint64_t bytes, PageState state);

/// Starts recording the program's touches. Returns true on success.
bool start_handling();
/// Restores the program's own handler, unless the program has installed another one over ours.
void stop_handling();

/// Returns the touches since the last call, at most the first 1024.
std::vector<HostTouch> take_touches();

}  // namespace warpwise::emulator::runtime
