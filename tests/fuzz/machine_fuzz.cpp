// Searches for instructions and their source lines in a file of any bytes.

#include <cstdint>
#include <span>

#include "warpwise/lab/compile/machine_operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpwise::lab::machine_operations(std::as_bytes(std::span(data, size)), "k");
  return 0;
}
