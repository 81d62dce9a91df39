#pragma once

#include <string>

namespace warpwise::io {

/// Returns the function `entry` of the module `file`, such as "libwarpwise_png.so". Loads the
/// module from libwarpwise's folder, or else from the loader's search path, and never unloads it.
/// The error's message begins with `who`, which needs the module, and ends with `remedy`.
/// \throws IoError  the module cannot be loaded: "PNG files need the module …; install …".
void* module_entry(const std::string& file, const char* entry, const std::string& who,
                   const std::string& remedy);

}  // namespace warpwise::io
