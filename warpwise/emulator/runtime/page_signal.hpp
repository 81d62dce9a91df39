#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// The signals of pages that the host must not touch yet. Their handler runs on whatever stack and
// inside of whatever function the program has been stopped: it only notes the touch and opens the
// page, by memory that is there already.
namespace warpwise::emulator::runtime {

/// What a host thread may do with a page.
enum class PageState : std::uint8_t {
  unknown,  ///< none of ours
  open,     ///< everything; a signal of it comes late
  read_only,
  closed,
};

/// A touch of a page that was not open.
struct HostTouch {
  Address address = 0;
  bool writes = false;
  const void* program_counter = nullptr;
  /// What lies on the thread's stack, its innermost word first: return addresses among others.
  std::array<const void*, 32> stack{};
};

/// Whether pages can be told about here: false where they are not of 4096 bytes, or where there is
/// no room for a byte of each.
bool can_watch_pages();

/// Whether pages of these addresses can be told about.
bool can_watch(Address begin, std::uint64_t bytes);

/// Whether the program may read and write these pages and not execute them: what set_pages() leaves
/// them as.
bool are_read_and_written(Address begin, std::uint64_t bytes);

/// Says what may be done with pages, and sees to it. Returns whether it could.
bool set_pages(Address begin, std::uint64_t bytes, PageState state);

/// From here on the program's touches are noted. Returns whether they are.
bool start_handling();
/// The program's own handler is the only one again, unless another one of it stands above ours.
void stop_handling();

/// What has been noted since this was asked last: at most 1024 touches, the first ones.
std::vector<HostTouch> take_touches();

}  // namespace warpwise::emulator::runtime
