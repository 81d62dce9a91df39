#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpwise::io {

/// Lists the pictures in a folder, sorted by name; headerless .raw files only if `raw_too`.
/// \throws IoError  it cannot be read, or has none.
std::vector<std::string> pictures_in(const std::string& folder, bool raw_too);

/// Lists the files that inputs stand for: a file itself, and the pictures in a folder.
/// \throws IoError  as pictures_in()
std::vector<std::string> files_of(std::span<const std::string> inputs, bool raw_too);

}  // namespace warpwise::io
