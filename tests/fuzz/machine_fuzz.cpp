// Finds instructions and their lines in any file, or finds none.

#include <cstdint>
#include <span>

#include "warpwise/lab/compile/machine_operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpwise::lab::machine_operations(std::as_bytes(std::span(data, size)), "k");
  return 0;
}
