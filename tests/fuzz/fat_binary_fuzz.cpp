// Searches for PTX in a fat binary. The bytes may be refused only with InvalidArgument.

#include <cstdint>
#include <span>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/code/fat_binary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    warpwise::emulator::runtime::ptx_of(std::as_bytes(std::span(data, size)), 90);
  } catch (const warpwise::InvalidArgument&) {
  }
  return 0;
}
