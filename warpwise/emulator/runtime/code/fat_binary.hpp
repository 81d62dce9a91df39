#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace warpwise::emulator::runtime {

/// Returns the PTX in a fat binary. Takes the newest PTX that is not for a newer GPU, like a GPU's
/// driver. If all PTX is for newer GPUs, takes the oldest.
/// \param gpu  90 for a compute capability of 9.0
/// \throws InvalidArgument  the fat binary holds no readable PTX
std::string ptx_of(std::span<const std::byte> fat_binary, std::uint32_t gpu);

/// Returns the PTX for a GPU of a fat binary that states its own size.
/// \param image  the argument of `__cudaRegisterFatBinary`, or the fat binary that it points to
std::string ptx_of(const void* image, std::uint32_t gpu);

/// Returns true if the first four bytes mark a fat binary or its wrapper.
bool is_fat_binary(const void* image);

}  // namespace warpwise::emulator::runtime
