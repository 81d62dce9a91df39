#pragma once

#include <functional>
#include <string>

namespace warpwise::live::gl {

/// Calls `allocate`, which has the current OpenGL context take memory. \throws IoError  it could
/// not; `what` the memory was for, and why
void take_memory(const std::string& what, const std::function<void()>& allocate);

}  // namespace warpwise::live::gl
