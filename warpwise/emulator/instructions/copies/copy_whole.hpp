#pragma once

// Internal to the emulator: copies of 16 bytes that other threads never see half done.

#include <cstdint>
#include <cstring>

namespace warpwise::emulator {

/// Copies `bytes` bytes. 16 aligned bytes are copied in one access, as on a GPU. Programs publish a
/// value and its flag in one vector, which another block may read at the same time. No supported
/// CPU tears an aligned access of 16 bytes.
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
