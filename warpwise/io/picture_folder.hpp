#pragma once

#include <string>
#include <vector>

namespace warpwise::io {

/// Lists the pictures in a folder, sorted by name; headerless .raw files only if `raw_too`.
/// \throws IoError  it cannot be read, or has none.
std::vector<std::string> pictures_in(const std::string& folder, bool raw_too);

}  // namespace warpwise::io
