#pragma once

#include <string>

namespace warpwise::io {

/// Returns the function `entry` of a module: a library beside libwarpwise, or else where the loader
/// finds it. It is loaded now and never unloaded. `file` is its name: "libwarpwise_png.so". `who`
/// needs the module; `remedy` says what to do if it is missing.
/// \throws IoError  it cannot be loaded: "PNG files need the module …; install …".
void* module_entry(const std::string& file, const char* entry, const std::string& who,
                   const std::string& remedy);

}  // namespace warpwise::io
