#pragma once

// Internal to the emulator: copies of 16 bytes that other threads never see half done.

#include <cstdint>
#include <cstring>

namespace warpwise::emulator {

/// Copies a vector: aligned 16 bytes in one piece, as a GPU does. Programs publish a value together
/// with its flag in one vector, which other blocks may read meanwhile. No supported CPU tears an
/// aligned access of 16 bytes.
inline void copy_whole(void* to, const void* from, int bytes) {
  using Vector [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;
  const auto is_aligned = [](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Vector) == 0;
  };
  if (bytes == sizeof(Vector) && is_aligned(to) && is_aligned(from)) {
    *static_cast<volatile Vector*>(to) = *static_cast<const volatile Vector*>(from);
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

}  // namespace warpwise::emulator
