#include "warpwise/emulator/arguments.hpp"

#include <algorithm>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {

std::vector<std::byte> pack_arguments(const KernelInfo& kernel,
                                      std::span<const std::span<const std::byte>> arguments) {
  const std::size_t count = kernel.parameter_bytes.size();
  if (arguments.size() != count) {
    throw InvalidArgument("kernel '" + readable(kernel.name) + "' takes " + std::to_string(count) +
                          " arguments, not " + std::to_string(arguments.size()));
  }
  std::vector<std::byte> block;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bytes = kernel.parameter_bytes[i];
    if (arguments[i].size() != bytes) {
      throw InvalidArgument("argument " + std::to_string(i) + " (from 0) of kernel '" +
                            readable(kernel.name) + "' has " + std::to_string(arguments[i].size()) +
                            " bytes, its parameter (." + kernel.parameter_types[i] + ") " +
                            std::to_string(bytes));
    }
    block.resize(kernel.parameter_offsets[i] + bytes);
    std::ranges::copy(arguments[i],
                      block.begin() + static_cast<std::ptrdiff_t>(kernel.parameter_offsets[i]));
  }
  return block;
}

}  // namespace warpwise::emulator
