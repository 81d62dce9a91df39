// A file of machine code: its instructions and their lines are found, or none.

#include <cstdint>
#include <span>

#include "warpwise/lab/compile/machine_operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpwise::lab::machine_operations(std::as_bytes(std::span(data, size)), "k");
  return 0;
}
