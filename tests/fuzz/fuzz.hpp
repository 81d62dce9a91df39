#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

// A fuzz target passes the bytes that libFuzzer generates to a parser. Sanitizers detect wrong
// memory accesses and undefined behaviour. An unexpected exception ends the program. require()
// checks further conditions.
namespace warpwise::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Passes the text after the first byte to the parser that this byte picks. Ignores exceptions of
/// type Expected.
template <class Expected, class Text, std::size_t count>
int parse_by_first_byte(const std::uint8_t* data, std::size_t size,
                        void (*const (&parsers)[count])(Text)) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    parsers[data[0] % count](text);
  } catch (const Expected&) {
  }
  return 0;
}

inline std::span<const std::byte> bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

}  // namespace warpwise::fuzz
