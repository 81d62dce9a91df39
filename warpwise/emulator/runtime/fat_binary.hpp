#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpwise::emulator::runtime {

/// The PTX in a fat binary: of the lowest architecture, as there may be several.
/// \throws InvalidArgument  where there is none, or none that can be read
std::string ptx_of(std::span<const std::byte> fat_binary);

/// The same of one whose size only it itself says.
/// \param image  what `__cudaRegisterFatBinary` is given, or the fat binary that this points to
std::string ptx_of(const void* image);

/// Whether four bytes begin one of the two.
bool is_fat_binary(const void* image);

}  // namespace warpwise::emulator::runtime
