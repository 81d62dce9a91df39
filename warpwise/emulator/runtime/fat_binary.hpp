#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace warpwise::emulator::runtime {

/// The PTX in a fat binary, as there may be several: what a GPU would take, the newest that is for
/// no newer GPU; where all are, the oldest.
/// \param gpu  90 for a compute capability of 9.0
/// \throws InvalidArgument  where there is none, or none that can be read
std::string ptx_of(std::span<const std::byte> fat_binary, std::uint32_t gpu);

/// The same of one whose size only it itself says.
/// \param image  what `__cudaRegisterFatBinary` is given, or the fat binary that this points to
std::string ptx_of(const void* image, std::uint32_t gpu);

/// Whether four bytes begin one of the two.
bool is_fat_binary(const void* image);

}  // namespace warpwise::emulator::runtime
