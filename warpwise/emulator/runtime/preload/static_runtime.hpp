#pragma once

#include <cstddef>
#include <span>
#include <string>

// Redirects a CUDA runtime that is linked statically into a program or library. Its functions
// become jumps to functions of the emulated runtime.
namespace warpwise::preload {

/// Returns the path of a library beside this one.
std::string beside(const char* name);

/// Returns the path of a redirected copy, in memory, of a library that holds a static runtime with
/// symbols; empty for any other file. If the library is linked with the shared runtime, loads the
/// emulated one.
std::string redirected_copy(const char* file);

}  // namespace warpwise::preload
