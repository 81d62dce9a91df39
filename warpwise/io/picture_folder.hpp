#pragma once

#include <string>
#include <vector>

namespace warpwise::io {

/// The pictures in a folder, by name; headerless frames only when `raw_too`.
/// \throws IoError  it cannot be read, or has none.
std::vector<std::string> pictures_in(const std::string& folder, bool raw_too);

}  // namespace warpwise::io
