#pragma once

#include <filesystem>
#include <string>

namespace warpwise::lab {

/// Returns the path that a library was actually loaded from.
/// \param library  result of dlopen
/// \param asked    path given to dlopen; returned if nothing else is known
std::string loaded_path(void* library, const std::filesystem::path& asked);

}  // namespace warpwise::lab
