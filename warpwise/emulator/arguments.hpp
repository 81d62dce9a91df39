#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// Builds a kernel's parameter block, for Program::launch(), from the bytes of each argument.
/// \throws InvalidArgument  in the cases that the template below lists
WARPWISE_EXPORT std::vector<std::byte> pack_arguments(
    const KernelInfo& kernel, std::span<const std::span<const std::byte>> arguments);

/// Builds a kernel's parameter block, for Program::launch(). Each argument goes to the offset of
/// the kernel's PTX parameter. Arguments have the types of a launch in CUDA: Address for a pointer,
/// std::uint64_t for a texture object, float, int, structures …
///
///     program.launch(device, "saxpy", grid, block, 0,
///                    pack_arguments(program.kernel("saxpy"), count, 2.0F, x, y));
///
/// \throws InvalidArgument  if the number of arguments, or the size of one, differs from the
/// kernel's parameters; the message names the argument and both sizes
template <class... Arguments>
  requires(std::is_trivially_copyable_v<Arguments> && ...)
std::vector<std::byte> pack_arguments(const KernelInfo& kernel, const Arguments&... arguments) {
  const std::array<std::span<const std::byte>, sizeof...(Arguments)> bytes{
      std::as_bytes(std::span<const Arguments, 1>(&arguments, 1))...};
  return pack_arguments(kernel, std::span<const std::span<const std::byte>>(bytes));
}

}  // namespace warpwise::emulator
