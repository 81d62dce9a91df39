#pragma once

#include <functional>
#include <string>

namespace warpwise::live::gl {

/// Calls `allocate`, which takes memory from the current OpenGL context. \throws IoError  OpenGL
/// reports an error; the message gives the reason, and names the memory by `what`
void allocate_checked(const std::string& what, const std::function<void()>& allocate);

}  // namespace warpwise::live::gl
