#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

// A fuzz target feeds a parser with the bytes that libFuzzer invents. Sanitizers find wrong memory
// accesses and undefined behaviour, an exception that nobody expects ends the program, and
// require() states what else must hold.
namespace warpwise::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline std::span<const std::byte> bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

}  // namespace warpwise::fuzz
