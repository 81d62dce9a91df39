#pragma once

#include <string>

namespace warpwise::io {

/// The function `entry` of a module, a library beside libwarpwise that is loaded now and stays.
/// `file`: "libwarpwise_png.so"; `who` needs it, and `remedy` says what to do where it is missing.
/// \throws IoError  it cannot be loaded: "PNG files need the module …; install …".
void* module_entry(const std::string& file, const char* entry, const std::string& who,
                   const std::string& remedy);

}  // namespace warpwise::io
