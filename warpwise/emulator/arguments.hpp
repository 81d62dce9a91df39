#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// The parameter block of a kernel, for Program::launch(), made of the bytes of each argument.
/// \throws InvalidArgument  as the other pack_arguments().
WARPWISE_EXPORT std::vector<std::byte> pack_arguments(
    const KernelInfo& kernel, std::span<const std::span<const std::byte>> arguments);

/// The parameter block of a kernel, for Program::launch(), with each argument where the kernel's
/// PTX has its parameter. Arguments are the values that a launch in CUDA would pass, of the same
/// types: Address for a pointer, std::uint64_t for a texture object, float, int, structures …
///
///     program.launch(device, "saxpy", grid, block, 0,
///                    pack_arguments(program.kernel("saxpy"), count, 2.0F, x, y));
///
/// \throws InvalidArgument  another number of arguments than the kernel has parameters, or one of
///                          another size than its parameter; the message says which and both sizes.
template <class... Arguments>
  requires(std::is_trivially_copyable_v<Arguments> && ...)
std::vector<std::byte> pack_arguments(const KernelInfo& kernel, const Arguments&... arguments) {
  const std::array<std::span<const std::byte>, sizeof...(Arguments)> bytes{
      std::as_bytes(std::span<const Arguments, 1>(&arguments, 1))...};
  return pack_arguments(kernel, std::span<const std::span<const std::byte>>(bytes));
}

}  // namespace warpwise::emulator
