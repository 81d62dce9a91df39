#pragma once

#include <functional>
#include <string>

namespace warpwise::live::gl {

/// Calls `allocate`, which takes memory from the current OpenGL context. \throws IoError  it
/// failed; the message names `what` the memory is for, and the reason
void take_memory(const std::string& what, const std::function<void()>& allocate);

}  // namespace warpwise::live::gl
