#pragma once

#include <filesystem>
#include <string>

namespace warpwise::lab {

/// The path that a library was in fact loaded from.
/// \param library  what dlopen gave  \param asked  what it was asked for, where nothing else is
/// known
std::string loaded_path(void* library, const std::filesystem::path& asked);

}  // namespace warpwise::lab
