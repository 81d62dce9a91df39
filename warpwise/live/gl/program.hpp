#pragma once

namespace warpwise::live::gl {

/// Links shaders to a program of the current OpenGL context. The caller deletes the program.
/// \throws IoError  the driver refuses the shaders; the message is the driver's.
unsigned link_program(const char* vertex_shader, const char* fragment_shader);

}  // namespace warpwise::live::gl
