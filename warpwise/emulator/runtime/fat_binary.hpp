#pragma once

#include <string>

namespace warpwise::emulator::runtime {

/// The PTX in a fat binary that nvcc put into a program: of the lowest architecture, as there may
/// be several.
///
/// \param wrapper  what `__cudaRegisterFatBinary` is given
/// \throws InvalidArgument  where there is none, or none that can be read
std::string ptx_of(const void* wrapper);

}  // namespace warpwise::emulator::runtime
