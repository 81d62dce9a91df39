#pragma once

namespace warpwise::live::gl {

/// Links shaders to a program of the current OpenGL context; the caller deletes it. \throws IoError
/// the driver refuses them, with its message.
unsigned link_program(const char* vertex_shader, const char* fragment_shader);

}  // namespace warpwise::live::gl
