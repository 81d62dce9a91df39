#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// Signals of pages that the host must not touch yet. The handler may interrupt any function on any
// stack. So it only records the touch and opens the page, in memory that is already allocated.
namespace warpwise::emulator::runtime {

/// Access of host threads to a page.
enum class PageState : std::uint8_t {
  unknown,  ///< not watched
  open,     ///< all accesses; late signals are expected
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

/// Returns false if pages do not have 4096 bytes, or if there is no room for one byte for each
/// page.
bool can_watch_pages();

/// Returns true if pages of these addresses can be watched.
bool can_watch(Address begin, std::uint64_t bytes);

/// Returns true if the program may read and write these pages but not execute them. set_pages()
/// leaves pages in this state.
bool are_read_and_written(Address begin, std::uint64_t bytes);

/// Sets the access to pages. Returns false if the system refuses.
bool set_pages(Address begin, std::uint64_t bytes, PageState state);

/// Begins to record the program's touches. Returns true on success.
bool start_handling();
/// Restores the program's own handler, unless another handler of the program is above ours.
void stop_handling();

/// Returns the touches since the last call: at most the first 1024.
std::vector<HostTouch> take_touches();

}  // namespace warpwise::emulator::runtime
