// Parses a text as a profile of a device. A text may be refused only with InvalidArgument.

#include <cstdint>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/predict/device_profile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    warpwise::lab::parse_device_profile({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const warpwise::InvalidArgument&) {
  }
  return 0;
}
