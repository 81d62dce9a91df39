#pragma once

#include <cstddef>
#include <span>
#include <string>

// A CUDA runtime that was linked statically into a program or library. Its functions are made jumps
// to the emulated runtime's.
namespace warpwise::preload {

/// Returns the path of a library beside this one.
std::string beside(const char* name);

/// Returns the path of a copy, in memory, of a library that holds a static runtime with its
/// symbols. The copy jumps to the emulated runtime. Returns an empty text for any other file. Loads
/// the emulated runtime if the library is linked with the shared one.
std::string redirected_copy(const char* file);

}  // namespace warpwise::preload
